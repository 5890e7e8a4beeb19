import { Turns } from '../process/index.js';
import type { Prerequisite } from './prerequisite.js';
import type { Statement } from './values.js';

/** What is told about the work of one request with the database. */
export interface RequestObserver {
  /** A statement, without its parameters, is sent. Returns what is called when it is answered or has failed. */
  beginStatement(sql: string): ((error?: unknown) => void) | undefined;
  /** A statement or transaction lost to another, and is repeated. */
  countRepetition(): void;
}

/** What is told of all that a request reads. */
export interface Reads {
  /** That so many characters have arrived. What it throws fails their statement. */
  count(characters: number, mayHaveChanged: boolean): void;
  /** Sends statements, and again if they were too early; `inTime` waits for their turn as long as the request may. */
  read<Result>(
    send: () => Promise<Result>,
    inTime: (place: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<Result>;
}

/** One request's use of the database: who is told, and how long it may still wait in all. */
export interface RequestScope {
  readonly observer: RequestObserver | undefined;
  /** Milliseconds; what it is waiting for now is not yet taken off. */
  left: number;
  /** How often it waits right now, and since when. */
  waits: number;
  since: number;
  /** What its rows may have; undefined for what no request has asked for. */
  reads: Reads | undefined;
  /** Its one connection at a time. */
  readonly turns: Turns;
  /** Whether it may have changed something. */
  isChange: boolean;
  /** What must hold before anything that it does counts; undefined once that is known to hold. */
  prerequisite: Prerequisite | undefined;
}

type Known = Partial<Pick<RequestScope, 'observer' | 'reads'>>;

/** For a request whose waits for the database may take that many milliseconds in all. */
export const newScope = (milliseconds: number, { observer, reads }: Known = {}): RequestScope => ({
  observer,
  reads,
  left: milliseconds,
  waits: 0,
  since: 0,
  turns: new Turns(1),
  isChange: false,
  prerequisite: undefined,
});

/** Sends statements, of each of which the request's observer is told. */
export function report<T>(
  scope: RequestScope | undefined,
  statements: readonly Statement[],
  send: () => Promise<T>,
): Promise<T> {
  const ends = scope?.observer ? statements.map(({ text }) => scope.observer?.beginStatement(text)) : [];
  const response = send();
  for (const end of ends) if (end) response.then(() => end(), end);
  return response;
}

/** Sends a statement within what a request may still wait, and tells its observer. `onLate` is that of {@link wait}. */
export const sendInTime = <T>(
  scope: RequestScope | undefined,
  sql: string,
  start: () => Promise<T>,
  onLate?: (value: T) => void,
): Promise<T> => report(scope, [{ text: sql }], () => wait(scope, start, onLate));

/** The database did not answer within the time that the request may wait for it. */
class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Runs a part of a request whose waits may take only this share of what the request may still wait. */
export async function withShareOfDeadline<T>(
  whole: RequestScope | undefined,
  share: number,
  part: (scope: RequestScope | undefined) => Promise<T>,
): Promise<T> {
  if (!whole) return part(undefined);
  const given = whole.left * share;
  const own = newScope(given, whole);
  try {
    return await part(own);
  } finally {
    whole.left -= given - own.left;
  }
}

/**
 * Waits for the database, at most as long as the request still may: then it throws a DatabaseTimeout. Waits at the same
 * time count once. What belongs to no request waits as long as it takes. `onLate` gets what comes after the deadline.
 */
export function wait<T>(
  scope: RequestScope | undefined,
  start: () => Promise<T>,
  onLate?: (value: T) => void,
): Promise<T> {
  if (!scope) return start();
  if (isOver(scope)) return Promise.reject(deadlineExceeded());
  // One promise instead of a race: every statement of every request waits here.
  return new Promise((resolve, reject) => {
    if (scope.waits === 0) scope.since = performance.now();
    scope.waits += 1;
    let isLate = false;
    const end = () => {
      clearTimeout(timer);
      scope.waits -= 1;
      if (scope.waits === 0) scope.left -= performance.now() - scope.since;
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
      reject(deadlineExceeded());
    }, timeLeft(scope));
    start().then(
      (value) => {
        if (isLate) return onLate?.(value);
        end();
        resolve(value);
      },
      (error) => {
        if (isLate) return;
        end();
        reject(error);
      },
    );
  });
}

/** Whether the request may not wait any more. */
export const isOver = (scope: RequestScope | undefined): boolean => scope !== undefined && timeLeft(scope) <= 0;

const timeLeft = ({ left, waits, since }: RequestScope) => (waits === 0 ? left : left - (performance.now() - since));

const deadlineExceeded = () => new DatabaseTimeout('the database did not answer in time');
