import { newScope, type RequestScope } from './requestScope.js';

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
    whole.limitedWaits += own.limitedWaits;
  }
}

interface Waiting<T> {
  /** Gets what the database answers after the deadline. */
  onLate?: (value: T) => void;
}

/**
 * Waits for the database, at most as long as the request still may: then it throws a DatabaseTimeout. Waits at the same
 * time count once. What belongs to no request waits as long as it takes.
 */
export function wait<T>(
  scope: RequestScope | undefined,
  start: () => Promise<T>,
  { onLate }: Waiting<T> = {},
): Promise<T> {
  if (!scope) return start();
  const now = performance.now();
  if (scope.waits === 0) scope.since = now;
  const left = scope.left - (now - scope.since);
  if (left <= 0) return Promise.reject(late());
  const response = start();
  scope.waits += 1;
  scope.observer?.beginWait();
  // One promise instead of a race and an async function: every statement of every request waits here.
  return new Promise<T>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      scope.waits -= 1;
      scope.observer?.endWait();
      if (scope.waits === 0) scope.left -= performance.now() - scope.since;
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
