import { styleText } from 'node:util';
import { startLabel } from '../pages/demo.js';
import { version } from '../version.js';

/** A gateway that has just started. */
export interface Started {
  graphql: string;
  rest: string;
  /** The address to open. On the demo it has a secret, with which the pages show the demo's token. */
  browser: string;
  metrics?: string | undefined;
  /** The file with the tokens of the demo workspace. */
  tokens?: string | undefined;
  /** Commands that the database needs before anybody can call the gateway. */
  next: string[];
}

type Paint = (style: 'bold' | 'cyan' | 'gray', text: string) => string;

/**
 * Says where the gateway is and what to do now: for a person in a terminal as a few lines, otherwise, for programs, as
 * one line of JSON.
 */
export function announce(
  started: Started,
  format: 'auto' | 'json' | 'pretty',
  stdout: NodeJS.WriteStream = process.stdout,
): void {
  const isJson = format === 'json' || (format === 'auto' && !stdout.isTTY);
  if (isJson) {
    stdout.write(`${JSON.stringify(started)}\n`);
    return;
  }
  stdout.write(banner(started, (style, text) => styleText(style, text, { stream: stdout })));
}

function banner({ graphql, rest, browser, metrics, tokens, next }: Started, paint: Paint): string {
  const rows: [label: string, text: string | undefined][] = [
    [startLabel, paint('cyan', browser)],
    ['GraphQL', graphql],
    ['REST', rest],
    ['Metrics', metrics],
    ['Tokens', tokens && `${tokens} ("write" and "readOnly")`],
    ['Next', next.join('\n') || undefined],
    ['Try', tokens && 'the requests on that page, or "Make a call" in README.md'],
    ['Stop', 'Ctrl-C'],
  ];
  const lines = rows.flatMap(([label, text]) =>
    (text?.split('\n') ?? []).map((line, index) => `${paint('gray', (index === 0 ? label : '').padEnd(7))} ${line}`),
  );
  const title = `Goalpost ${version} is ready${tokens ? ', with a demo workspace' : ''}.`;
  return `\n${paint('bold', title)}\n\n${lines.join('\n')}\n\n`;
}
