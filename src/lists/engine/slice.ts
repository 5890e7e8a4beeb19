import { badInput, type FieldError } from '../../errors/failures.js';
import type { Key, List, Position } from './list.js';

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

/** Checks the arguments of a connection. Throws 400 that names every invalid one, such as `goals.first`. */
export function readSlice(list: List, field: string, { first, after, last, before }: PageArguments): Slice {
  const errors: FieldError[] = [];
  const fail = (name: string, code: FieldError['code'], message: string) =>
    void errors.push({ field: `${field}.${name}`, code, message });
  for (const [name, size] of Object.entries({ first, last })) {
    if (size == null) continue;
    if (size < 0) fail(name, 'too_small', 'must be at least 0');
    if (size > maximumSize) fail(name, 'too_large', `must be at most ${maximumSize}`);
  }
  if (first != null && last != null) fail('last', 'invalid', 'must not be given together with first');
  const position = (name: string, cursor: string | null | undefined) => {
    if (cursor == null) return null;
    const found = readCursor(list, cursor);
    if (!found) fail(name, 'invalid', 'is not a cursor of this list in this order');
    return found;
  };
  const slice = {
    size: first ?? last ?? defaultSize,
    backward: last != null,
    after: position('after', after),
    before: position('before', before),
  };
  if (errors.length > 0) throw badInput(errors);
  return slice;
}

/** A position as an opaque string. It stays valid when its row is gone. */
export const cursorOf = ({ name }: List, { rank, key, id }: Position) =>
  Buffer.from(JSON.stringify([name, rank, key, id])).toString('base64url');

/** Longer than every cursor that `cursorOf` makes. */
const longestCursor = 10_000;

function readCursor(list: List, cursor: string): Position | null {
  if (cursor.length > longestCursor) return null;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(value) || value.length !== 4) return null;
  const [name, rank, key, id] = value;
  return name === list.name && isInteger(rank) && isKey(list, key) && isStorable(id) ? { rank, key, id } : null;
}

function isKey(list: List, key: unknown): key is Key {
  if (list.key === 'integer') return isInteger(key);
  return isStorable(key) && (list.key === 'text' || isMoment(key));
}

const isInteger = (value: unknown): value is number => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;

const isStorable = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

/** As `cursorOf` gets it, with a year of four digits: PostgreSQL cannot read every date that JavaScript can. */
const isMoment = (value: string) => /^(?!0000)\d{4}-/.test(value) && new Date(value).toJSON() === value;
