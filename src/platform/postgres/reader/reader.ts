import { randomUUID } from 'node:crypto';
import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import { LRUCache } from 'lru-cache';
import { type Connection, sendOne } from '../connections.js';
import { readByPrisma } from '../prismaClient.js';
import { type Method, methods, type RowInSql, type Sql, sql } from '../values.js';
import { callOf, type Model, type Models, UnknownCall } from './shape.js';
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

interface Read {
  statement: ReadStatement;
  values: unknown[];
}

/** Makes each read of a model one prepared statement that returns JSON. Every table in it is bound to the company that the outermost `where` names. */
export class Reader {
  readonly #statements = new LRUCache<string, ReadStatement>({
    max: most.statements,
    maxSize: most.characters,
    sizeCalculation: (statement, key) => key.length + statement.sql.length,
  });

  constructor(
    private readonly models: Models,
    /** Prisma's own client, for what the reader does not know. It sends on the connection of the request that asks. */
    readonly client: () => object,
    /** Of that client, for the errors that it would throw. */
    readonly version: string,
  ) {}

  model(name: string): Model {
    return this.models[name] as Model;
  }

  /** How a call is read; undefined if Prisma might return something else. */
  read(model: string, method: Method, given: object): Read | undefined {
    try {
      const { key: shape, args, values } = callOf(given);
      const key = `${model} ${method} ${shape}`;
      let statement = this.#statements.get(key);
      if (!statement) {
        statement = statementOf(this.models, model, method, args);
        this.#statements.set(key, statement);
      }
      return { statement, values };
    } catch (error) {
      if (error instanceof UnknownCall) return undefined;
      throw error;
    }
  }
}

const notFound = (modelName: string, clientVersion: string) =>
  new PrismaClientKnownRequestError(
    'An operation failed because it depends on one or more records that were required but not found. No record was found for a query.',
    { code: 'P2025', clientVersion, meta: { modelName } },
  );

type Named = { [name: string]: unknown } | undefined;

interface Arguments {
  where?: Named;
  cursor?: Named;
}

/** What a request or a transaction reads of a model: with the methods, arguments and results of Prisma's client. */
export class ModelReads {
  constructor(
    private readonly reader: Reader,
    private readonly name: string,
    private readonly connection: Connection,
    /** The caller's company; undefined for what no caller has asked for, which names one. */
    private readonly tenant: string | undefined,
  ) {}

  static {
    for (const method of methods)
      Object.defineProperty(ModelReads.prototype, method, {
        value(this: ModelReads, args: Arguments = {}) {
          return this.#read(method, args);
        },
      });
  }

  /** A row that another part of a statement finds; undefined if the reader does not know how to read it. */
  rowAt(args: { where: object }, id: Sql): RowInSql | undefined {
    this.#requireTenant('rowAt', args as Arguments);
    const read = this.reader.read(this.name, 'findMany', { ...args, where: { ...args.where, id: idOfRow } });
    if (!read) return undefined;
    const { texts, positions } = partsOf(read.statement);
    const parts = positions.map((position) => (read.values[position] === idOfRow ? id : read.values[position]));
    return { sql: sql(texts, ...parts), make: read.statement.make };
  }

  async #read(method: Method, args: Arguments): Promise<unknown> {
    this.#requireTenant(method, args);
    const { reader, name, connection } = this;
    const read = method.startsWith('find') ? reader.read(name, method, args) : undefined;
    if (!read) {
      const { uniques } = reader.model(name);
      return readByPrisma(reader.client(), connection, { model: lowered(name), method, args, uniques });
    }
    const { statement, values } = read;
    const { rows } = await sendOne(connection, { text: statement.sql, values, rowMode: 'array' });
    const made = (rows as [json: unknown][]).map(([json]) => statement.make(json));
    if (method === 'findMany') return made;
    if (made.length === 0 && method.endsWith('OrThrow')) throw notFound(name, reader.version);
    return made[0] ?? null;
  }

  /** All that a call finds is bound to the company that its outermost `where` names, by relations that have it in their keys. */
  #requireTenant(method: string, { where, cursor }: Arguments): void {
    const { columns, uniques } = this.reader.model(this.name);
    const column = columns.companyId ? 'companyId' : 'id';
    const names = (part: Named) =>
      typeof part?.[column] === 'string' && (this.tenant === undefined || part[column] === this.tenant);
    const isBound = (part: Named) =>
      names(part) || Object.keys(uniques).some((key) => column !== 'id' && names(part?.[key] as Named));
    if (!isBound(where) || (cursor && !isBound(cursor)))
      throw new Error(`${lowered(this.name)}.${method} does not name the company of its caller, as \`${column}\``);
  }
}

/** The name of a model as a client has it. */
export const lowered = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
