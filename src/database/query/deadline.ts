import type { Caller } from './caller.js';
import { currentDeadline, currentObserver, type Deadline, runWithin } from './requestScope.js';

/** The database did not answer within the time that the request may wait for it. */
class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Runs a request whose waits for the database may take that many milliseconds in all. */
export const withDeadline = <T>(milliseconds: number, request: () => T, caller?: Caller): T =>
  runWithin(newDeadline(milliseconds, caller), request);

const newDeadline = (left: number, caller: Caller | undefined): Deadline => ({
  left,
  waits: 0,
  since: 0,
  caller,
  held: 0,
  queue: [],
});

/** Runs work whose waits may take that many milliseconds in all, unless a request says how many. */
export const withDeadlineUnlessGiven = <T>(milliseconds: number, work: () => T): T =>
  currentDeadline() ? work() : withDeadline(milliseconds, work);

/** Runs a part of a request whose waits may take only this share of what the request may still wait. */
export async function withShareOfDeadline<T>(share: number, part: () => T): Promise<Awaited<T>> {
  const whole = currentDeadline();
  if (!whole) return await part();
  const given = whole.left * share;
  const own = newDeadline(given, whole.caller);
  try {
    return await runWithin(own, part);
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
export function wait<T>(start: () => Promise<T>, { onLate }: Waiting<T> = {}): Promise<T> {
  const own = currentDeadline();
  if (!own) return start();
  const now = performance.now();
  if (own.waits === 0) own.since = now;
  const left = own.left - (now - own.since);
  if (left <= 0) return Promise.reject(late());
  const response = start();
  own.waits += 1;
  const observer = currentObserver();
  observer?.beginWait();
  // One promise instead of a race and an async function: every statement of every request waits here.
  return new Promise<T>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      own.waits -= 1;
      observer?.endWait();
      if (own.waits === 0) own.left -= performance.now() - own.since;
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
      reject(late());
    }, left);
    response.then(
      (value) => {
        if (isLate) return onLate?.(value);
        end();
        resolve(value);
      },
      (error: unknown) => {
        if (isLate) return;
        end();
        reject(error);
      },
    );
  });
}

const late = () => new DatabaseTimeout('the database did not answer in time');
