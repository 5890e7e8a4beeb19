import { inspect } from 'node:util';

interface Exchange {
  request: string;
  sent?: unknown;
  status: number;
  received: unknown;
}

const kept = 3;
const longest = 1_500;

/** The last requests of the test that runs, for the report of its failure. */
const exchanges: Exchange[] = [];

export const forgetExchanges = (): void => void exchanges.splice(0);

export function noteExchange(exchange: Exchange): void {
  exchanges.push(exchange);
  if (exchanges.length > kept) exchanges.shift();
}

/** The last requests as text, each with what it sent and what came back. */
export const lastExchanges = (): string[] =>
  exchanges.map(
    ({ request, sent, status, received }) =>
      `${request}${sent === undefined ? '' : ` ${shorten(sent)}`}\n  → ${status} ${shorten(received)}`,
  );

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 8, breakLength: 120, maxStringLength: 300 });
  return text.length > longest ? `${text.slice(0, longest)} … ${text.length} characters in all` : text;
}
