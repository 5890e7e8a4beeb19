import { type Caller, nobody } from './caller.js';

/** What is told about the work of one request with the database. */
export interface RequestObserver {
  /** A statement, without its parameters, is sent. Returns what is called when it is answered or has failed. */
  beginStatement(sql: string): (error?: unknown) => void;
  /** The request begins to wait, for the database or for its turn. */
  beginWait(): void;
  /** The request does not wait any more. */
  endWait(): void;
  /** A statement or transaction lost to another, and is repeated. */
  countRepetition(): void;
}

/** One request's use of the database: who sent it, who is told, and how long it may still wait in all. */
export interface RequestScope {
  /** Who sent the request, as far as that is known. */
  caller: Caller;
  readonly observer: RequestObserver | undefined;
  /** Milliseconds; what it is waiting for now is not yet taken off. */
  left: number;
  /** How often it waits right now, and since when. */
  waits: number;
  since: number;
  /** How many connections it holds. */
  held: number;
  /** What of it waits until it holds fewer. */
  readonly queue: (() => void)[];
  /** How often it waits right now for a connection because its company uses much. */
  limitedWaits: number;
  /** Whether it may have changed something. */
  isChange: boolean;
}

type Known = Partial<Pick<RequestScope, 'caller' | 'observer'>>;

/** For a request whose waits for the database may take that many milliseconds in all. */
export const newScope = (milliseconds: number, { caller = nobody, observer }: Known = {}): RequestScope => ({
  caller,
  observer,
  left: milliseconds,
  waits: 0,
  since: 0,
  held: 0,
  queue: [],
  limitedWaits: 0,
  isChange: false,
});

/** Sends a statement, which the request's observer is told about. */
export function report<T>(scope: RequestScope | undefined, sql: string, send: () => Promise<T>): Promise<T> {
  const end = scope?.observer?.beginStatement(sql);
  const response = send();
  if (end) response.then(() => end(), end);
  return response;
}
