import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './shares.js';
import { waitChannel } from './statements.js';

/** How long one request may still wait for the database in all, and since when it is waiting. */
interface Deadline {
  left: number;
  waits: number;
  since: number;
  /** Who sent the request, as far as that was known when it came. */
  caller: Caller | undefined;
}

const deadline = new AsyncLocalStorage<Deadline>();

/** Who sent the request; undefined outside a request. */
export const callerOfRequest = (): Caller | undefined => deadline.getStore()?.caller;

/** What is the same for all that one request waits for; undefined outside a request. */
export const currentDeadline = (): object | undefined => deadline.getStore();

/** The database did not answer within the time that the request may wait for it. */
class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Runs a request whose waits for the database may take that many milliseconds in all. */
export const withDeadline = <T>(milliseconds: number, request: () => T, caller?: Caller): T =>
  deadline.run({ left: milliseconds, waits: 0, since: 0, caller }, request);

/** Runs work whose waits may take that many milliseconds in all, unless a request says how many. */
export const withDeadlineUnlessGiven = <T>(milliseconds: number, work: () => T): T =>
  deadline.getStore() ? work() : withDeadline(milliseconds, work);

/** Runs a part of a request whose waits may take only this share of what the request may still wait. */
export async function withShareOfDeadline<T>(share: number, part: () => T): Promise<Awaited<T>> {
  const whole = deadline.getStore();
  if (!whole) return await part();
  const given = whole.left * share;
  const own = { left: given, waits: 0, since: 0, caller: whole.caller };
  try {
    return await deadline.run(own, part);
  } finally {
    whole.left -= given - own.left;
  }
}

interface Waiting<T> {
  /** Gets what the database answers after the deadline. */
  onLate?: (value: T) => void;
}

/**
 * Waits for the database, at most as long as the request still may: then it throws a DatabaseTimeout. Waits at the same
 * time count once.
 */
export async function wait<T>(start: () => Promise<T>, { onLate }: Waiting<T> = {}): Promise<T> {
  const own = deadline.getStore();
  if (!own) return start();
  const now = performance.now();
  if (own.waits === 0) own.since = now;
  const left = own.left - (now - own.since);
  if (left <= 0) throw late();
  own.waits += 1;
  waitChannel.publish('begins');
  const answer = start();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      answer,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          if (onLate) answer.then(onLate, () => {});
          reject(late());
        }, left);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    own.waits -= 1;
    waitChannel.publish('ends');
    if (own.waits === 0) own.left -= performance.now() - own.since;
  }
}

const late = () => new DatabaseTimeout('the database did not answer in time');
