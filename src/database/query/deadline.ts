import { AsyncLocalStorage } from 'node:async_hooks';

/** How long one request may still wait for the database in all, and since when it is waiting. */
interface Deadline {
  left: number;
  waits: number;
  since: number;
}

const deadline = new AsyncLocalStorage<Deadline>();

/** The database did not answer within the time that the request may wait for it. */
class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Runs a request whose waits for the database may take that many milliseconds in all. */
export const withDeadline = <T>(milliseconds: number, request: () => T): T =>
  deadline.run({ left: milliseconds, waits: 0, since: 0 }, request);

/** Runs a part of a request whose waits may take only this share of what the request may still wait. */
export async function withShareOfDeadline<T>(share: number, part: () => T): Promise<Awaited<T>> {
  const whole = deadline.getStore();
  if (!whole) return await part();
  const given = whole.left * share;
  const own = { left: given, waits: 0, since: 0 };
  try {
    return await deadline.run(own, part);
  } finally {
    whole.left -= given - own.left;
  }
}

interface Waiting<T> {
  /** Gets what the database answers after the deadline. */
  onLate?: (value: T) => void;
  /** How many milliseconds the wait may take outside a request; if undefined, it has no end. */
  otherwise?: number;
}

/**
 * Waits for the database, at most as long as the request still may: then it throws a DatabaseTimeout. Waits at the same
 * time count once.
 */
export async function wait<T>(start: () => Promise<T>, { onLate, otherwise }: Waiting<T> = {}): Promise<T> {
  const own = deadline.getStore() ?? (otherwise === undefined ? undefined : { left: otherwise, waits: 0, since: 0 });
  if (!own) return start();
  const now = performance.now();
  if (own.waits === 0) own.since = now;
  const left = own.left - (now - own.since);
  if (left <= 0) throw late();
  own.waits += 1;
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
    if (own.waits === 0) own.left -= performance.now() - own.since;
  }
}

const late = () => new DatabaseTimeout('the database did not answer in time');
