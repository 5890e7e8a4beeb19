import type { CustomTypesConfig } from 'pg';
import { Cache } from '../caching/index.js';
import { Turns } from '../process/index.js';

/**
 * SQLSTATEs of a database that cannot serve now: connection, authorization, resources, operator intervention, system
 * errors, its own time limits, a standby that cannot write, and a pooler that loses prepared statements.
 */
const unavailableStates = /^(08...|28...|53...|57...|58...|3D000|55P03|25P03|25P04|25006|26000|42P05)$/;
const conflictStates = /^(40001|40P01)$/;

/** What Prisma and Node say of a database that cannot be reached, or does not respond in time. */
const unavailableCodes = new Set([
  ...['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
/** What OpenSSL and Node say of certificates and handshakes. */
export const tlsCodes =
  /^(ERR_(SSL|TLS)_|CERT_|CRL_|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED|DEPTH_ZERO_SELF_|SELF_SIGNED_CERT)/;
const connecting = new Set(['connect', 'getaddrinfo']);

/** The errors of `pg` that have no code, and what Citus says of a node that it lost in a transaction. */
const unavailableMessages =
  /^(failure on connection marked as essential|Connection terminated|Connection ended|Query read timeout|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after|The server does not support SSL connections|There was an error establishing an SSL connection)|is not queryable$/;

/** Whether the database cannot be reached, refuses to work, or did not respond in time. */
export const isUnavailable = (error: unknown): boolean =>
  isConflict(error) ||
  linksOf(error).some(
    ({ code, message, syscall, routine }) =>
      unavailableStates.test(code) ||
      unavailableCodes.has(code) ||
      tlsCodes.test(code) ||
      connecting.has(syscall) ||
      routine === refusedDatabase ||
      unavailableMessages.test(message),
  );

/** What no waiting mends: a wrong password or name, a certificate, a standby, a parameter. */
const mistakes = /^(28...|3D000|25006|42501)$/;
/** The same in words of the driver and of PgBouncer, which has one code for everything. */
const mistaken =
  / SSL connections?$|^unsupported startup parameter|^no such (database|user)|^(password|SASL) authentication failed/;

/** Whether the database does not run yet, cannot be reached, or has no connection left. */
export const isAbsent = (error: unknown): boolean =>
  isUnavailable(error) &&
  !linksOf(error).some(({ code, message }) => mistakes.test(code) || tlsCodes.test(code) || mistaken.test(message));

/** Whether it lost to another transaction, or to a migration of a prepared result: it wrote nothing, and may be repeated. */
export const isConflict = (error: unknown): boolean =>
  linksOf(error).some(({ code, routine }) => conflictStates.test(code) || routine === stalePlan);

/** Whether a statement gave up waiting for a lock that another transaction holds. It changed nothing. */
export const isLocked = (error: unknown): boolean => linksOf(error).some(({ code }) => code === '55P03');

/** Whether the database took too long to execute a statement, which says nothing of the wait for a free connection. */
export const isTimeout = (error: unknown): boolean =>
  linksOf(error).some(({ code }) => code === '57014' || code === 'ETIMEDOUT');

/** Where PostgreSQL refuses a prepared statement that now returns another type: its message is in its own language. */
export const stalePlan = 'RevalidateCachedQuery';

/** Where PostgreSQL refuses connections to a database that does not allow any, or not to this role. */
const refusedDatabase = 'CheckMyDatabase';

interface Link {
  code: string;
  message: string;
  /** Of PostgreSQL's error: where in its source it was raised. */
  routine: string;
  /** Of a network error: the system call that failed. */
  syscall: string;
}

const deepest = 8;

/** The error and those inside it. Prisma and GraphQL wrap the driver's error in several ways. */
function linksOf(error: unknown, depth = 0): Link[] {
  if (typeof error !== 'object' || error === null || depth > deepest) return [];
  const read = error as Record<string, unknown>;
  const { cause, originalError, meta, driverAdapterError, errors } = read;
  const inside = [cause, originalError, meta, driverAdapterError, ...(Array.isArray(errors) ? errors : [])];
  const [code, message, routine, syscall] = [read.code ?? read.originalCode, read.message, read.routine, read.syscall];
  return [
    { code: textOf(code), message: textOf(message), routine: textOf(routine), syscall: textOf(syscall) },
    ...inside.flatMap((inner) => linksOf(inner, depth + 1)),
  ];
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** What is told about the work of one request with the database. */
export interface RequestObserver {
  /** A statement, without its parameters, is sent. Returns what is called when it is answered or has failed. */
  beginStatement(sql: string): ((error?: unknown) => void) | undefined;
  /** A statement or transaction lost to another, and is repeated. */
  countRepetition(): void;
}

/** A request has read more than it may. */
export class ReadTooMuch extends Error {
  override readonly name = 'ReadTooMuch';

  constructor(
    readonly maximum: number,
    /** Whether a change of the request may have been committed. */
    readonly mayHaveChanged: boolean,
  ) {
    super(`the request has read more than ${maximum} characters`);
  }
}

/** From how many characters on a request reads alone. */
const readAlone = 1_000_000;

/** A request may read on when it is its turn. */
class ReadsTooEarly extends Error {
  override readonly name = 'ReadsTooEarly';
}

/** The place of a request that reads much, among those of others. Whoever made it gives it back. */
export interface LongRead {
  readonly isHeld: boolean;
  /** Takes it, or waits for it. */
  enter(): 'admitted' | Promise<unknown>;
}

/** The most characters of rows that a request reads. Of those that read many, one goes on at a time; others send again. */
export class ReadBound {
  #read = 0;
  #waiting: Promise<unknown> | undefined;
  #hasEnded = false;

  /** Without a place, as for a change, it does not wait for others. */
  constructor(
    readonly maximum: number,
    private readonly place?: LongRead,
  ) {}

  count(characters: number, mayHaveChanged: boolean): void {
    this.#read += characters;
    if (this.#read > this.maximum) throw new ReadTooMuch(this.maximum, mayHaveChanged);
    if (this.#read <= readAlone || !this.place || this.place.isHeld) return;
    // What arrives when all is over, since another part of the request has failed, takes no place that nobody would leave.
    if (this.#hasEnded || this.#waiting) throw new ReadsTooEarly();
    const place = this.place.enter();
    if (place === 'admitted') return;
    this.#waiting = place;
    throw new ReadsTooEarly();
  }

  /** Sends a statement, and again if it has come too early. */
  async read<Result>(send: () => Promise<Result>, scope: RequestScope): Promise<Result> {
    const before = this.#read;
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ReadsTooEarly) || this.#hasEnded) throw error;
    }
    // Another statement of the request may have waited for the same.
    const place = this.#waiting;
    if (place) await wait(scope, () => place);
    if (this.#hasEnded) throw new ReadsTooEarly();
    this.#waiting = undefined;
    this.#read = before;
    return send();
  }

  /** What its request reads after that is little, and counts from nothing. */
  end(): void {
    this.#waiting = undefined;
    this.#hasEnded = true;
    this.#read = 0;
  }
}

/** A statement, for whose values PostgreSQL infers the types. Its rows are objects, or arrays if it says so. */
export interface Statement {
  text: string;
  values?: unknown[];
  rowMode?: 'array';
  /** How its values are read, if Prisma's client says so. */
  types?: CustomTypesConfig | undefined;
}

export interface StatementResult {
  rows: unknown[];
  /** How many rows it has returned or written; null if it does neither. */
  rowCount: number | null;
}

/**
 * A condition of all that a request does with the database. Nothing of the request is sent before its statement; what is
 * sent with it, in one round trip, is executed only if that succeeds.
 */
export class Prerequisite {
  #refusal: Promise<Error | undefined> | undefined;
  /** Whether it could not be checked: what the request fails with says so. */
  hasFailed = false;

  constructor(
    /** PostgreSQL must refuse it unless the request may go on: an error skips the rest of its transaction. */
    readonly statement: Statement,
    /** Has it sent, by itself or with the first statement of the request. Returns why the request may not go on. */
    private readonly check: (send: () => Promise<StatementResult>) => Promise<Error | undefined>,
  ) {}

  /** Whether it has been sent, and has not failed. */
  get isUnderWay(): boolean {
    return this.#refusal !== undefined;
  }

  /** Waits for the check that is under way. Throws why the request may not go on; nothing if the check itself has failed. */
  async ended(): Promise<void> {
    const refusal = await this.#refusal?.catch(() => undefined);
    if (refusal) throw refusal;
  }

  /** Checks, and throws why the request may not go on. A check that has failed can be repeated. */
  async pass(send: () => Promise<StatementResult>): Promise<void> {
    this.#refusal = this.check(send);
    const refusal = await this.#refusal.catch((error) => {
      this.#refusal = undefined;
      this.hasFailed = true;
      throw error;
    });
    if (refusal) throw refusal;
  }
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
  reads: ReadBound | undefined;
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

const remembered = 10_000;
/** How many requests of stalled companies may wait at once, to probe whether the database responds again. */
const seats = 2;

/** Companies whose node did not respond: few of their requests wait at once, so that they do not hold all connections. */
export class CircuitBreaker {
  readonly #stalled = new Cache<string, true>(remembered);
  #waiting = 0;

  /** Runs the first statement that needs the rows of a company. Returns `refused` at once if too many wait already. */
  async ask<T>(companyId: string, statement: () => Promise<T>): Promise<T | 'refused'> {
    const isStalled = this.#stalled.has(companyId);
    if (isStalled && this.#waiting >= seats) return 'refused';
    if (isStalled) this.#waiting += 1;
    try {
      const result = await statement();
      this.#stalled.delete(companyId);
      return result;
    } catch (error) {
      if (isTimeout(error)) this.#stalled.set(companyId, true);
      throw error;
    } finally {
      if (isStalled) this.#waiting -= 1;
    }
  }
}
