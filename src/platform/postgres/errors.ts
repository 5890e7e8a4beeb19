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
