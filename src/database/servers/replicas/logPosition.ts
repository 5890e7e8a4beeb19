/** How far the log of a cluster has come: to which byte, on which timeline. A promotion begins a new timeline. */
export interface LogPosition {
  timeline: number;
  lsn: bigint;
}

/**
 * SQL for the position of the primary before which everything lies that is acknowledged; null on a standby. With
 * `synchronous_commit=off`, changes are acknowledged before that.
 */
export const flushedPosition = `CASE WHEN NOT pg_is_in_recovery()
  THEN pg_walfile_name(pg_current_wal_flush_lsn()) || ' ' || pg_current_wal_flush_lsn() END`;

/** Reads what {@link flushedPosition} returns: the name of a log file, which starts with the timeline, and an LSN. */
export function readPosition(text: string | null | undefined): LogPosition | undefined {
  const [file = '', lsn] = text?.split(' ') ?? [];
  return lsn === undefined ? undefined : { timeline: Number.parseInt(file.slice(0, 8), 16), lsn: readLsn(lsn) };
}

/** Positions of two timelines cannot be compared: the log may have gone different ways. */
export const hasReached = (replayed: LogPosition | undefined, { timeline, lsn }: LogPosition): boolean =>
  replayed !== undefined && replayed.timeline === timeline && replayed.lsn >= lsn;

/** Reads an LSN such as `16/B374D848`. */
export function readLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
