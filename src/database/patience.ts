import { AsyncLocalStorage } from 'node:async_hooks';

/** How long one request may still wait for the database, and since when it is waiting. */
interface Patience {
  left: number;
  waits: number;
  since: number;
}

const patience = new AsyncLocalStorage<Patience>();

/** What is the same for all that one request waits for; undefined outside a request. */
export const currentPatience = (): object | undefined => patience.getStore();

/** The database did not answer within the time that the request may wait for it. */
class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
  readonly code = 'ETIMEDOUT';
}

/** Runs a request whose waits for the database may take that many milliseconds in all. */
export const withPatience = <T>(milliseconds: number, request: () => T): T =>
  patience.run({ left: milliseconds, waits: 0, since: 0 }, request);

/** Runs a part of a request whose waits may take only this share of what the request may still wait. */
export async function withShareOfPatience<T>(share: number, part: () => T): Promise<Awaited<T>> {
  const whole = patience.getStore();
  if (!whole) return await part();
  const given = whole.left * share;
  const own = { left: given, waits: 0, since: 0 };
  try {
    return await patience.run(own, part);
  } finally {
    whole.left -= given - own.left;
  }
}

/**
 * Waits for the database, at most as long as the request still may: then it throws a DatabaseTimeout, and `onLate` gets
 * what the database answers later. Waits at the same time count once. Outside a request the wait has no end.
 */
export async function wait<T>(start: () => Promise<T>, onLate?: (value: T) => void): Promise<T> {
  const own = patience.getStore();
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
