import { Prisma } from '../database/generated/client/client.js';
import type { FieldError } from '../errors/failures.js';

const shortest = 3;

/** A text below three characters is refused, because the index finds names by three in a row. */
export const textErrors = (field: string, text: string | null | undefined): FieldError[] =>
  text == null || [...text.trim()].length >= shortest
    ? []
    : [{ field: `${field}.filter.text`, code: 'too_short', message: `must have at least ${shortest} characters` }];

/** Holds for the rows in which the column contains the text. */
export const contains = (column: Prisma.Sql, text: string) =>
  Prisma.sql`${column} ILIKE ${`%${text.trim().replace(/[\\%_]/g, '\\$&')}%`}`;
