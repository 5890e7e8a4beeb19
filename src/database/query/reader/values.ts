import type { KeptSelection } from './keptSelection.js';
import { Unsupported } from './unsupported.js';

/** The values of a call, in the order of its arguments. */
export class Values {
  readonly all: unknown[] = [];
  /** The selection that they begin with, if that was read before. */
  kept: KeptSelection | undefined;
  #company: number | undefined;

  /** Adds a value, and returns its position. The company, which conditions repeat, is one value. */
  add(value: unknown, name?: string): number {
    const isCompany = name === 'companyId';
    if (isCompany && this.#company !== undefined && this.all[this.#company] === value) return this.#company;
    const position = this.all.push(value) - 1;
    if (isCompany) this.#company ??= position;
    return position;
  }

  /** Begins with the values of others, as they are here. */
  beginWith(others: Values, own: (value: unknown) => unknown): void {
    for (const value of others.all) this.all.push(own(value));
    this.#company = others.#company;
  }
}

/** One letter for each type of value; undefined for what may be a filter. */
export function typeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return 's';
  if (typeof value === 'boolean') return 'b';
  if (typeof value === 'bigint') return 'l';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 'i' : 'f';
  return value instanceof Date ? 'd' : undefined;
}

/** A value as Postgres reads it, whatever the time zone of the session. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) throw new Unsupported('text');
  // Beside a larger number in a list, Prisma rounds the others.
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new Unsupported('number');
  if (!(value instanceof Date)) return value;
  const year = value.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) throw new Unsupported('date');
  return value.toISOString();
}
