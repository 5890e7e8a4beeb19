import { randomUUID } from 'node:crypto';
import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import { LRUCache } from 'lru-cache';
import { accelerate, askerOf, statements } from '../client.js';
import { callPrisma } from '../prisma.js';
import { type Method, methods, type RowInSql, type Sql, sql } from '../values.js';
import { callOf, type Models, UnknownCall } from './shape.js';
import { type ReadStatement, statementOf } from './statement.js';

/** What stands for the id until it is known as SQL. */
const idOfRow = randomUUID();

/** The text between the placeholders of a statement, and what value each of them stands for. */
function partsOf(statement: ReadStatement): NonNullable<ReadStatement['parts']> {
  statement.parts ??= {
    texts: statement.sql.split(/\$\d+/),
    positions: [...statement.sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1),
  };
  return statement.parts;
}

/** The bound of what is kept of statements, as clients choose what is selected. */
const most = { statements: 2_000, characters: 16_000_000 };

/** A call, as it is sent. */
interface Read {
  statement: ReadStatement;
  values: unknown[];
}

/** Returns how a call is read; nothing of one that only Prisma knows. */
function reading(models: Models) {
  const statements = new LRUCache<string, ReadStatement>({
    max: most.statements,
    maxSize: most.characters,
    sizeCalculation: (statement, key) => key.length + statement.sql.length,
  });
  const read = (model: string, method: Method, given: object): Read => {
    const { key: shape, args, values } = callOf(given);
    const key = `${model} ${method} ${shape}`;
    let statement = statements.get(key);
    if (!statement) {
      statement = statementOf(models, model, method, args);
      statements.set(key, statement);
    }
    for (const [position, allowed] of statement.enums) {
      if (!isOneOf(allowed, values[position])) throw new UnknownCall('a value that its enum does not have');
    }
    return { statement, values };
  };
  return (model: string, method: Method, given: object): Read | undefined => {
    try {
      return read(model, method, given);
    } catch (error) {
      if (error instanceof UnknownCall) return undefined;
      throw error;
    }
  };
}

const isOneOf = (allowed: readonly string[], value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => isOneOf(allowed, item)) : allowed.includes(String(value));

/** As Prisma says it. */
const notFound = (modelName: string, clientVersion: string) =>
  new PrismaClientKnownRequestError(
    'An operation failed because it depends on one or more records that were required but not found. No record was found for a query.',
    { code: 'P2025', clientVersion, meta: { modelName } },
  );

/** Of a model, as Prisma and we say it. */
const nameOf = (self: object): string => (self as { $name: string }).$name;

/**
 * An extension of Prisma's client, which answers the reads that it knows: each as one prepared statement that returns JSON.
 * Every table in it is bound to the company that the outermost `where` names. Any other read is left to `beneath`, the
 * client that is extended.
 */
export function accelerator(models: Models, beneath: object, version: string) {
  const readOf = reading(models);
  const findBy = (method: Method) =>
    async function (this: object, args: object = {}): Promise<unknown> {
      const model = nameOf(this);
      const own = askerOf(this);
      const read = readOf(model, method, args);
      if (!read) {
        const delegate = Reflect.get(beneath, model.charAt(0).toLowerCase() + model.slice(1));
        return callPrisma(own, [model, delegate], method, args);
      }
      const { statement, values } = read;
      const { rows } = await own.target.query({ text: statement.sql, values, rowMode: 'array' });
      const made = (rows as [json: unknown][]).map(([json]) => statement.make(json));
      if (method === 'findMany') return made;
      if (made.length === 0 && method === 'findUniqueOrThrow') throw notFound(model, version);
      return made[0] ?? null;
    };
  const rowAt = function (this: object, args: { where: object }, id: Sql): RowInSql | undefined {
    const read = readOf(nameOf(this), 'findMany', { ...args, where: { ...args.where, id: idOfRow } });
    if (!read) return undefined;
    const { statement, values } = read;
    const { texts, positions } = partsOf(statement);
    const parts = positions.map((position) => (values[position] === idOfRow ? id : values[position]));
    return { sql: sql(texts, ...parts), make: statement.make };
  };
  const finds = Object.fromEntries(methods.map((method) => [method, findBy(method)]));
  return {
    name: 'accelerator',
    model: { $allModels: accelerate({ ...finds, rowAt }) },
    client: accelerate(statements),
  };
}
