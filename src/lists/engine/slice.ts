import type { FieldError } from '../../errors/failures.js';
import type { CursorKind, Key, Position } from './list.js';

/** The arguments of a connection, as the Relay cursor connections specification names them. */
export interface PageArguments {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/** The part of a list to read: the first or, if `backward`, the last `size` rows between two positions. */
export interface Slice {
  size: number;
  backward: boolean;
  after: Position | null;
  before: Position | null;
}

export const defaultSize = 20;
export const maximumSize = 100;

/** What is wrong with the arguments of a connection, each with its field, such as `goals.first`. */
export function pageErrors(
  kind: CursorKind,
  field: string,
  { first, after, last, before }: PageArguments,
): FieldError[] {
  const errors: FieldError[] = [];
  const fail = (name: string, code: FieldError['code'], message: string) =>
    void errors.push({ field: `${field}.${name}`, code, message });
  for (const [name, size] of Object.entries({ first, last })) {
    if (size == null) continue;
    if (size < 0) fail(name, 'too_small', 'must be at least 0');
    if (size > maximumSize) fail(name, 'too_large', `must be at most ${maximumSize}`);
  }
  if (first != null && last != null) fail('last', 'invalid', 'must not be given together with first');
  for (const [name, cursor] of Object.entries({ after, before })) {
    if (cursor != null && !readCursor(kind, cursor)) {
      fail(name, 'invalid', 'is not a cursor of this list in this order');
    }
  }
  return errors;
}

/** Reads arguments in which {@link pageErrors} finds nothing wrong. */
export const readSlice = (kind: CursorKind, { first, after, last, before }: PageArguments): Slice => ({
  size: first ?? last ?? defaultSize,
  backward: last != null,
  after: after == null ? null : readCursor(kind, after),
  before: before == null ? null : readCursor(kind, before),
});

/** A position as an opaque string. It stays valid when its row is gone. */
export function cursorOf({ name, key: type, markOf = String }: CursorKind, { rank, key, id }: Position): string {
  const plainKey = type === 'timestamptz' ? new Date(key) : key;
  return Buffer.from(JSON.stringify([name, rank, plainKey, markOf(id)])).toString('base64url');
}

/** Longer than every cursor that `cursorOf` makes. */
const longestCursor = 10_000;

/** The position that a cursor of this kind names; null if it is none. */
export function readCursor(kind: CursorKind, cursor: string): Position | null {
  if (cursor.length > longestCursor) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(value) || value.length !== 4) return null;
  const [name, rank, key, id] = value;
  return name === kind.name && isInteger(rank) && isKey(kind, key) && isStorable(id) ? { rank, key, id } : null;
}

function isKey(kind: CursorKind, key: unknown): key is Key {
  if (kind.key === 'integer') return isInteger(key);
  if (kind.key === 'bigint') return Number.isSafeInteger(key) && Number(key) >= 0;
  return isStorable(key) && (kind.key === 'text' || isMoment(key));
}

const isInteger = (value: unknown): value is number => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;

const isStorable = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

/** As `cursorOf` gets it, with a year of four digits: PostgreSQL cannot read every date that JavaScript can. */
const isMoment = (value: string) => /^(?!0000)\d{4}-/.test(value) && new Date(value).toJSON() === value;
