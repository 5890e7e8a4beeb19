import { randomUUID } from 'node:crypto';
import { empty, join, raw, type Sql, sqltag } from '@prisma/client/runtime/client';
import type { CustomTypesConfig } from 'pg';

export type { Sql };

/** SQL as a template: what stands in `${}` is sent as a parameter, or is part of the statement if it is `Sql` itself. */
export const sql = sqltag;
/** SQL without parameters, as it is written. */
export const rawSql = raw;
/** Parts of a statement, with a separator between them. */
export const joinSql = join;
export const emptySql = empty;

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

let latest = 0;

/** A UUIDv7 like the ids that the database generates. Ids sort in the order in which they were made. */
export function newId(): string {
  latest = Math.max(latest + 1, Date.now() * 1000);
  const time = Math.floor(latest / 1000)
    .toString(16)
    .padStart(12, '0');
  const order = (latest % 1000).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${randomUUID().slice(19)}`;
}

/** The ids of all rows of a SELECT: a new one that ends in the number of the row, counted from 0x100000: six digits. */
export const newIds = () => sql`${newId().slice(0, 30)} || to_hex(1048576 + row_number() OVER ())`;

/** A list of texts whose length the planner does not see, so that one prepared plan serves every length. */
export const textList = (values: readonly string[]): Sql => sql`(SELECT ${values}::text[])::text[]`;

/** The same for the placeholder of a list. */
export const textListOf = (placeholder: string): string => `(SELECT ${placeholder}::text[])::text[]`;

// The driver would write a time in the zone of this process.
/** The SQL of a statement as it is sent. */
export const toStatement = ({ text, values }: Sql): Statement => ({
  text,
  values: values.map((value) => (value instanceof Date ? value.toISOString() : value)),
});

/** A `select` or `include` of Prisma, made once for many calls: some of its values stand for those of a call. */
export class KeptSelection {
  constructor(
    /** With what stands for the values of a call. */
    readonly template: object,
    private readonly own: ReadonlyMap<unknown, unknown>,
  ) {}

  /** The value of the call for one of the template. */
  readonly valueOf = (value: unknown): unknown => this.own.get(value) ?? value;

  /** As it is in this call. */
  get selection(): object {
    return this.#made(this.template) as object;
  }

  #made(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((item) => this.#made(item));
    if (typeof part !== 'object' || part === null || part instanceof Date) return this.valueOf(part);
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, this.#made(value)]));
  }
}

/** A row as a JSON value in SQL, and how that becomes what Prisma returns. */
export interface RowInSql {
  sql: Sql;
  make: (json: unknown) => unknown;
}

/** The methods of Prisma's models that read. */
export const methods = [
  ...(['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow', 'findMany'] as const),
  ...(['count', 'aggregate', 'groupBy'] as const),
];
export type Method = (typeof methods)[number];
