import { Prisma } from '../generated/client/client.js';

/**
 * A list of texts in SQL, of whose length PostgreSQL learns only when it executes the statement. If it knew that when it
 * plans, it would plan a prepared statement for each execution, which takes longer than to execute most of them: a plan
 * for few values seems cheaper than one for the ten that it assumes.
 */
export const textList = (values: readonly string[]): Prisma.Sql => Prisma.sql`(SELECT ${values}::text[])::text[]`;

/** The same for the placeholder of a list. */
export const textListOf = (placeholder: string): string => `(SELECT ${placeholder}::text[])::text[]`;
