import { z } from 'zod';
import { newId } from '../../database/query/newId.js';
import type { Table } from '../tables.js';

/** What a string stands for: a value that is unique in its table, or the id of a row elsewhere. */
export type Mark = { table: Table; column: 'id' | 'token' } | { refersTo: Table };

export const marks = z.registry<Mark>();

/** Any string that Postgres can hold. */
const string = () => z.string().regex(/^[^\0\p{Cs}]*$/u, 'must not contain NUL or half a surrogate pair');

const idBytes = 200;

/** Short enough for an index on five ids and a name. U+FFFD stands for what a requested id cannot have. */
const idString = () =>
  string()
    .min(1)
    .max(idBytes)
    .refine(
      (value) => value.length > idBytes || Buffer.byteLength(value) <= idBytes,
      `must have at most ${idBytes} bytes in UTF-8`,
    )
    .refine((value) => !value.includes('\uFFFD'), 'must not contain U+FFFD');

/** The id by which the rest of the file refers to a record. */
export const id = (table: Table) => idString().describe('imported unchanged').register(marks, { table, column: 'id' });

/** The id of a record that nothing else in the file refers to. */
export const ownId = (table: Table) =>
  idString()
    .describe('imported unchanged; generated if omitted')
    .register(marks, { table, column: 'id' })
    .default(newId);

export const reference = (table: Table, about: string) =>
  idString().describe(about).register(marks, { refersTo: table });
export const personId = (about: string) => reference('people', about);

/** Part of a public link. Whoever knows it can read the document. */
export const publicToken = (about: string) =>
  z
    .string()
    .regex(/^[\w-]{1,200}$/, 'must be 1 to 200 letters, digits, - or _')
    .describe(about)
    .register(marks, { table: 'public_links', column: 'token' });

export const text = (about: string) => string().describe(about);
export const name = (about: string) => string().min(1).describe(about);
export const emoji = (about: string) => string().min(1).max(50).describe(about);
export const flag = (about: string) => z.boolean().default(false).describe(about);
export const float = (about: string) => z.number().describe(about);
export const integer = (about: string, min: number, max = 2_147_483_647) => z.int().min(min).max(max).describe(about);
export const date = (about: string) => z.iso.date().refine(fourDigits, yearMessage).describe(about);

export const timestamp = (about: string) =>
  z.iso
    .datetime()
    .refine(fourDigits, yearMessage)
    .describe(about)
    .transform((value) => new Date(value).toISOString());

export const insertedAt = () => timestamp('default: the time of the import').default(() => new Date().toISOString());
export const updatedAt = () => optional(timestamp('default: `inserted_at`'));

const fourDigits = (value: string) => value >= '1000';
const yearMessage = 'must be in the year 1000 or later';

/** May be null or omitted. */
export const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

/** A list, empty if omitted, in which no two records have the same values of all `keys`. */
export const listOf = <Schema extends z.ZodObject>(schema: Schema, ...keys: (keyof z.output<Schema> & string)[]) =>
  z
    .array(schema)
    .superRefine((records, context) => {
      const seen = new Map<string, number>();
      for (const [index, record] of keys.length > 0 ? records.entries() : []) {
        const key = JSON.stringify(keys.map((field) => record[field]));
        const earlier = seen.get(key);
        if (earlier === undefined) seen.set(key, index);
        else
          context.addIssue({ code: 'custom', path: [index], message: `has the ${keys.join(' and ')} of [${earlier}]` });
      }
    })
    .default([]);
