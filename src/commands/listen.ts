import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import * as z from 'zod';
import { isLoopback } from '../platform/http/index.js';
import { signatureOf } from '../platform/outbox/index.js';
import { addressOf } from '../platform/settings/index.js';
import { printable } from '../platform/telemetry/index.js';
import type { Config } from '../settings.js';
import { version } from '../version.js';
import { readDemoAddress, readDemoTokens } from './demo.js';
import { ListenError, UsageError } from './exitCode.js';
import { print, printError } from './print.js';

/** How far the stream has come, and what it has said there. */
interface StreamPiece {
  cursor?: string;
  /** JSON of a GraphQL response; undefined if it only says that it lives. */
  data?: string;
}

/** What ended a connection in order: `complete` for good, or milliseconds after which to come back. */
type StreamEnd = { isComplete: boolean; retry: number | undefined };

/** Far longer than what a gateway sends of an event, in characters. */
const longestPiece = 1_000_000;

/** Turns text into pieces, also those without data, which the parser leaves out. */
class StreamReader implements StreamEnd {
  isComplete = false;
  retry: number | undefined;
  #text = '';
  #found: StreamPiece[] = [];
  readonly #parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (event === 'complete') this.isComplete = true;
      else this.#found.push({ ...(id !== undefined && { cursor: id }), data });
    },
    onRetry: (retry) => {
      this.retry = retry;
    },
  });

  feed(text: string): StreamPiece[] {
    this.#text += text;
    if (this.#text.length > longestPiece)
      throw new ListenError('The gateway has sent too much at once. Is it a gateway?');
    this.#found = [];
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    for (const block of blocks) {
      const alone = /^id: ?(.*)$/.exec(block)?.[1];
      if (alone === undefined) this.#parser.feed(`${block}\n\n`);
      else this.#found.push({ cursor: alone });
    }
    return this.#found;
  }
}

/** Where to listen, and as whom. */
interface ListenedGateway {
  /** Its GraphQL address. */
  url: string;
  token: string;
}

interface StreamRequest {
  query: string;
  variables: object;
  lastEventId: string | undefined;
}

/** The gateway has refused the stream. */
class StreamRefused extends Error {
  constructor(
    readonly status: number,
    readonly retryAfter: number | undefined,
    message: string,
  ) {
    super(message);
  }
}

/** A stream says at least every 15 seconds that it lives. This machine may have slept, or the connection be lost. */
const quietMilliseconds = 35_000;
/** Longer than every refusal of a gateway, in characters. */
const longestRefusal = 64_000;
const longestMessage = 2_000;

/** Reads a stream until it ends or breaks. */
async function* readStream(
  { url, token }: ListenedGateway,
  { lastEventId, ...body }: StreamRequest,
  stopped: AbortSignal,
): AsyncGenerator<StreamPiece, StreamEnd> {
  const quiet = new AbortController();
  const timer = setTimeout(() => quiet.abort(new Error('nothing came for too long')), quietMilliseconds);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([stopped, quiet.signal]),
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      body: JSON.stringify(body),
    });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw await refusalOf(response);
    const stream = new StreamReader();
    for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      yield* stream.feed(text);
      timer.refresh();
      if (stream.isComplete) break;
    }
    return stream;
  } finally {
    clearTimeout(timer);
    quiet.abort();
  }
}

async function refusalOf(response: Response): Promise<StreamRefused> {
  const text = await startOf(response).catch(() => '');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new StreamRefused(response.status, Number.isNaN(retryAfter) ? undefined : retryAfter, messageIn(text));
}

/** The start of a body, as far as a refusal may go: what follows is not read. */
async function startOf({ body }: Response): Promise<string> {
  let text = '';
  for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.length > longestRefusal) break;
  }
  return text;
}

/** What the errors of a GraphQL response say; empty if it is none. */
function messageIn(text: string): string {
  try {
    const { errors } = JSON.parse(text);
    return textOfErrors(errors);
  } catch {
    return '';
  }
}

/** The same of its errors, fit for a terminal: whatever is at the address may have sent it. */
const textOfErrors = (errors: readonly { message: unknown }[]): string =>
  printable(
    errors
      .map(({ message }) => String(message))
      .join(' ')
      .slice(0, longestMessage),
  );

export interface ListenOptions {
  gateway?: string;
  token?: string;
  forwardTo?: string;
  actions?: string;
  exceptOrigins?: string;
  after?: string;
}

interface Listening {
  gateway: ListenedGateway;
  wanted: WantedEvents;
  forwardTo: string | undefined;
}

/** Where to listen, as whom, and to what. Without options, to the demo. */
async function readListenOptions(
  config: Config,
  { gateway, token, forwardTo, actions, exceptOrigins, after }: ListenOptions,
): Promise<Listening> {
  const named = gateway === undefined ? undefined : webAddress('--gateway', gateway);
  const found = token ? withToken(config, named, token) : await asDemo(config, named);
  return {
    gateway: found,
    wanted: {
      actions: actions?.split(',').map(actionOf),
      exceptOrigins: exceptOrigins?.split(',').map(actionOf),
      after,
    },
    forwardTo: forwardTo === undefined ? undefined : webAddress('--forward-to', forwardTo).href,
  };
}

function withToken({ host, port }: Config, named: URL | undefined, token: string): ListenedGateway {
  if (/[^\x21-\x7e]/.test(token)) throw new UsageError('TOKEN is no token: it has a character that none has');
  return { url: graphqlAt(named ?? new URL(addressOf(host, port))), token };
}

/** The demo's token is sent only to where the demo was served last, as its gateway has written it down. */
async function asDemo({ dataDir, databaseUrl }: Config, named: URL | undefined): Promise<ListenedGateway> {
  const tokens = databaseUrl ? undefined : await readDemoTokens(dataDir).catch(() => undefined);
  const address = tokens && (await readDemoAddress(dataDir).catch(() => undefined));
  if (!tokens || !address) {
    throw new UsageError('there is no token: set TOKEN. Example: TOKEN=gp_… npx goalpost listen');
  }
  if (named && !isSameServer(named, address)) {
    throw new UsageError(
      `there is no token for ${named.origin}: set TOKEN. The token of the demo is for ${address.origin} only`,
    );
  }
  return { url: graphqlAt(address), token: tokens.write };
}

/** Another name of this machine counts as the one that the demo listens on, which is then connected to. */
const isSameServer = (named: URL, own: URL): boolean =>
  named.origin === own.origin ||
  (named.protocol === own.protocol && named.port === own.port && [named, own].every((url) => isLoopback(url.hostname)));

const graphqlAt = (base: URL): string => (base.pathname.endsWith('/graphql') ? base : new URL('/graphql', base)).href;

/** An action or a type of events as GraphQL spells it: `goal.reopened` becomes `GOAL_REOPENED`. */
const actionOf = (text: string): string => text.trim().replace('.', '_').toUpperCase();

function webAddress(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw new UsageError(
    `${option} takes an http:// or https:// address without a password, such as http://localhost:3000/`,
  );
}

interface WantedEvents {
  actions: readonly string[] | undefined;
  exceptOrigins?: readonly string[] | undefined;
  after: string | undefined;
}

type ListenedEvent = z.infer<typeof event>;

/** What `followEvents` tells while it runs. */
interface Notes {
  /** It listens, for the first time or again. */
  onListening(): void;
  /** It will try again. */
  onLost(reason: string): void;
  /** How far it has come. */
  onCursor(cursor: string): void;
}

const query = `subscription Listen($actions: [ActivityAction!], $exceptOrigins: [EventOrigin!], $after: String) {
  events(actions: $actions, exceptOrigins: $exceptOrigins, after: $after) { id type sequence timestamp body }
}`;

const event = z.object({
  id: z.string(),
  type: z.string(),
  sequence: z.number(),
  timestamp: z.string(),
  body: z.record(z.string(), z.unknown()).transform((body) => JSON.stringify(body)),
});
const result = z.object({
  data: z.object({ events: event }).nullish(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
});

const pauses = { least: 1_000, most: 30_000 };

/** The events, also those that happen while the gateway or this machine is away. Throws a ListenError. */
export async function* followEvents(
  gateway: ListenedGateway,
  { actions, exceptOrigins, after }: WantedEvents,
  stopped: AbortSignal,
  notes: Notes,
): AsyncGenerator<ListenedEvent> {
  const variables = {
    ...(actions && { actions }),
    ...(exceptOrigins && { exceptOrigins }),
    ...(after !== undefined && { after }),
  };
  let lastEventId: string | undefined;
  let pause: number = pauses.least;
  while (!stopped.aborted) {
    let wait = pause;
    pause = Math.min(2 * pause, pauses.most);
    const stream = readStream(gateway, { query, variables, lastEventId }, stopped);
    try {
      let next = await stream.next();
      if (!next.done) notes.onListening();
      for (; !next.done; next = await stream.next()) {
        lastEventId = next.value.cursor ?? lastEventId;
        pause = pauses.least;
        const found = eventIn(next.value);
        if (found) yield found;
        if (lastEventId !== undefined) notes.onCursor(lastEventId);
      }
      if (next.value.isComplete) throw new ListenError('The gateway has ended the stream.');
      wait = Math.min(Math.max(next.value.retry ?? wait, pauses.least), pauses.most);
      notes.onLost('the gateway has asked to come back');
    } catch (error) {
      if (stopped.aborted) return;
      wait = Math.max(wait, pauseAfter(error, gateway, lastEventId !== undefined));
      notes.onLost(lossReason(error));
    } finally {
      // Closes the connection if it was not read to its end, and lets the process end.
      await stream.return({ isComplete: false, retry: undefined });
    }
    await sleep(wait, undefined, { signal: stopped }).catch(() => {});
  }
}

function eventIn({ data }: StreamPiece): ListenedEvent | undefined {
  if (data === undefined) return undefined;
  const parsed = result.safeParse(readJson(data));
  if (!parsed.success) throw new ListenError('The gateway has sent what is no event. Is it another version?');
  const { data: found, errors } = parsed.data;
  if (found) return found.events;
  throw new ListenError(`The gateway says: ${textOfErrors(errors ?? []) || 'nothing'}`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How long to wait before the next attempt, in milliseconds. Throws if another could not succeed either. */
function pauseAfter(error: unknown, { url }: ListenedGateway, hasListened: boolean): number {
  if (error instanceof ListenError) throw error;
  if (!(error instanceof StreamRefused)) {
    if (hasListened) return 0;
    throw new ListenError(
      `There is no gateway at ${url}: ${lossReason(error)}. Start it, or name another with --gateway.`,
    );
  }
  const { status, retryAfter, message } = error;
  if (status === 429 || (status >= 500 && hasListened)) return Math.min((retryAfter ?? 0) * 1_000, pauses.most);
  const problem = message || `it responded with ${status}, and is no gateway`;
  throw new ListenError(`The gateway at ${url} refuses the stream: ${problem}`);
}

/** `fetch` puts the reason into the cause. */
function lossReason(error: unknown): string {
  const { message, cause } = error as Error;
  if (!(cause instanceof Error)) return message;
  return cause.message || String((cause as NodeJS.ErrnoException).code ?? message);
}

interface Receiver {
  url: string;
  secret: string;
}

const timeout = 15_000;

/** Sends an event as a webhook does, once. Returns what came of it, for people. */
async function forwardEvent(
  { id, body }: ListenedEvent,
  { url, secret }: Receiver,
  stopped: AbortSignal,
): Promise<string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const begun = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(timeout)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': `Goalpost/${version}`,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf([secret], id, timestamp, body),
        'goalpost-attempt': '1',
      },
      body,
    });
    await response.body?.cancel();
    return `${response.status} in ${Math.round(performance.now() - begun)} ms`;
  } catch (error) {
    return `no response: ${lossReason(error)}`;
  }
}

/** Prints one line for each event, and sends it on, until it is stopped. What is no event goes to stderr. */
export async function listenToEvents(config: Config, options: ListenOptions): Promise<void> {
  const { gateway, wanted, forwardTo } = await readListenOptions(config, options);
  const receiver = forwardTo && { url: forwardTo, secret: `whsec_${randomBytes(32).toString('base64')}` };
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
  let isLost = false;
  let last = wanted.after;
  const notes = {
    onListening: () => {
      printError(isLost ? 'Listening again.' : `Listening to ${printable(gateway.url)}. Stop with Ctrl-C.`);
      if (!isLost && receiver) printError(`Forwarding to ${receiver.url}, signed with ${receiver.secret}`);
      isLost = false;
    },
    onLost: (reason: string) => {
      if (!isLost) printError(`Not connected: ${printable(reason)}. Trying again.`);
      isLost = true;
    },
    onCursor: (cursor: string) => {
      last = cursor;
    },
  };
  for await (const event of followEvents(gateway, wanted, stopping.signal, notes)) {
    print(lineOf(event));
    if (receiver) print(`  ${printable(await forwardEvent(event, receiver, stopping.signal))}`);
  }
  if (last !== undefined) printError(`Go on from here with --after ${printable(last)}`);
}

const lineOf = ({ timestamp, sequence, type, id }: ListenedEvent): string =>
  [timestamp, `#${sequence}`, type, id].map(printable).join('  ');
