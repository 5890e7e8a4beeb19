import { LRUCache } from 'lru-cache';
import { models } from '../../generated/models.js';
import type { Connection } from '../connection.js';
import { type Call, callOf, type Shape, wholeShape } from './shape.js';
import { type Method, type ReadStatement, statementOf } from './statement.js';
import { Unsupported } from './unsupported.js';

/** What is known of a shape: its statement, or null if it is left to Prisma. */
export interface Known {
  statement: ReadStatement | null;
}

/** What is known of each shape of a call. */
export type Statements = LRUCache<string, Known>;

/** Clients choose what is selected. */
const mostStatements = 2_000;
const mostCharacters = 16_000_000;

/** The statements of one client. */
export const newStatements = (): Statements =>
  new LRUCache({
    max: mostStatements,
    maxSize: mostCharacters,
    sizeCalculation: ({ statement }, shape) => shape.length + (statement?.sql.length ?? 1),
  });

/** A call that the reader executes. */
export interface Read {
  statement: ReadStatement;
  values: unknown[];
}

/** How a call is read; undefined if it is left to Prisma. */
export function readOf(statements: Statements, model: string, method: Method, args: object): Read | undefined {
  const call = supported(() => callOf(args));
  if (!call) return undefined;
  const { kept, shape, values: given } = call;
  const key = `${model} ${method} ${shape}`;
  const known = kept?.statements.get(key) ?? ofWholeShape(statements, model, method, call);
  kept?.statements.set(key, known);
  const { statement } = known;
  const isValid = statement?.enums.every(([position, values]) => isOneOf(values, given[position]));
  return statement && isValid ? { statement, values: given } : undefined;
}

function ofWholeShape(statements: Statements, model: string, method: Method, call: Call): Known {
  const shape = wholeShape(call);
  const key = `${model} ${method} ${shape}`;
  const known = statements.get(key) ?? { statement: compile(model, method, shape) };
  statements.set(key, known);
  return known;
}

const compile = (model: string, method: Method, shape: string): ReadStatement | null =>
  supported(() => statementOf(models, model, method, JSON.parse(shape) as Shape)) ?? null;

/** The rows, as Prisma would return them. */
export async function readRows(connection: Connection, { statement, values }: Read): Promise<unknown[]> {
  const { rows } = await connection.query({ text: statement.sql, values, rowMode: 'array' });
  return (rows as [json: unknown][]).map(([json]) => statement.make(json));
}

const isOneOf = (allowed: readonly string[], value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => isOneOf(allowed, item)) : allowed.includes(String(value));

function supported<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}
