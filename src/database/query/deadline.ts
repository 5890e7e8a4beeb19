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
  return waitFor(scope, (resolve, reject) => void start().then(resolve, reject), onLate);
}

/** The same for what calls back. The caller has asked whether the time {@link isOver}. */
export function waitFor<T>(
  scope: RequestScope | undefined,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  onLate?: (value: T) => void,
): Promise<T> {
  // One promise instead of a race and an async function: every statement of every request waits here.
  if (!scope) return new Promise(start);
  return new Promise((resolve, reject) => {
    if (scope.waits === 0) scope.since = performance.now();
    scope.waits += 1;
    let isLate = false;
    const end = () => {
      clearTimeout(timer);
      scope.waits -= 1;
      scope.observer?.endWait();
      if (scope.waits === 0) scope.left -= performance.now() - scope.since;
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
      reject(deadlineExceeded());
    }, timeLeft(scope));
    scope.observer?.beginWait();
    start(
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

export const deadlineExceeded = () => new DatabaseTimeout('the database did not answer in time');
