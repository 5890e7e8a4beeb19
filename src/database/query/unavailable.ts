/**
 * SQLSTATEs of a database that cannot serve now: connection, authorization, resources, operator intervention, system
 * errors, its own time limits, and a standby that cannot write.
 */
const unavailableStates = /^(08...|28...|53...|57...|58...|3D000|55P03|25P03|25P04|25006)$/;
const conflictStates = /^(40001|40P01)$/;

/** What Prisma and Node say of a database that cannot be reached, or does not respond in time. */
const unavailableCodes = new Set([
  ...['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'],
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
/** The kinds of error for which Prisma's adapter keeps no code. */
const unavailableKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TlsConnectionError']);
const connecting = new Set(['connect', 'getaddrinfo']);

/** The errors of `pg` that have no code, and what Citus says of a node that it lost in a transaction. */
const unavailableMessages =
  /^(failure on connection marked as essential|Connection terminated|Connection ended|Query read timeout|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after)|is not queryable$/;

/** Whether the database cannot be reached, refuses to work, or did not respond in time. */
export const isUnavailable = (error: unknown): boolean =>
  isConflict(error) ||
  linksOf(error).some(
    ({ codes, kind, message, syscall }) =>
      codes.some((code) => unavailableStates.test(code) || unavailableCodes.has(code)) ||
      unavailableKinds.has(kind) ||
      connecting.has(syscall) ||
      unavailableMessages.test(message),
  );

/**
 * Whether the statement or transaction lost to another one, or to a migration that changed what a prepared statement
 * returns. It wrote nothing, and may succeed if it is repeated.
 */
export const isConflict = (error: unknown): boolean =>
  linksOf(error).some(
    ({ codes, message }) =>
      codes.some((code) => conflictStates.test(code) || code === 'P2034') ||
      (codes.includes('0A000') && message === stalePlan),
  );

/** Whether the database took too long to execute a statement, which says nothing of the wait for a free connection. */
export const isTimeout = (error: unknown): boolean =>
  linksOf(error).some(
    ({ codes, kind, message }) =>
      codes.some((code) => code === '57014' || code === 'ETIMEDOUT') ||
      kind === 'SocketTimeout' ||
      message === 'Query read timeout',
  );

const stalePlan = 'cached plan must not change result type';

interface Link {
  codes: string[];
  kind: string;
  message: string;
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
  const codes = [textOf(read.code), textOf(read.originalCode)];
  return [
    { codes, kind: textOf(read.kind), message: textOf(read.message), syscall: textOf(read.syscall) },
    ...inside.flatMap((inner) => linksOf(inner, depth + 1)),
  ];
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
