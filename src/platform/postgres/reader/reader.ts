import { randomUUID } from 'node:crypto';
import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import { LRUCache } from 'lru-cache';
import { type Connection, sendOne } from '../connections.js';
import { type Method, type RowInSql, type Sql, sql } from '../values.js';
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
    /** Of Prisma's client, for the errors that it would throw. */
    readonly version: string,
  ) {}

  /** How a call is read. Throws if Prisma might return something else. */
  read(model: string, method: Method, given: object): Read {
    try {
      return this.#read(model, method, given);
    } catch (error) {
      if (!(error instanceof UnknownCall)) throw error;
      throw new Error(
        `${model}.${method} cannot be read within a request, because of ${error.message}: src/platform/postgres/reader says what can; anything else is SQL ($queryRaw)`,
        { cause: error },
      );
    }
  }

  #read(model: string, method: Method, given: object): Read {
    const { key: shape, args, values } = callOf(given);
    const key = `${model} ${method} ${shape}`;
    let statement = this.#statements.get(key);
    if (!statement) {
      statement = statementOf(this.models, model, method, args);
      this.#statements.set(key, statement);
    }
    return { statement, values };
  }
}

const notFound = (modelName: string, clientVersion: string) =>
  new PrismaClientKnownRequestError(
    'An operation failed because it depends on one or more records that were required but not found. No record was found for a query.',
    { code: 'P2025', clientVersion, meta: { modelName } },
  );

/** What a request or a transaction reads of a model: with the arguments and the results of Prisma's own methods. */
export class ModelReads {
  constructor(
    private readonly reader: Reader,
    private readonly model: string,
    private readonly connection: Connection,
  ) {}

  findUnique(args: object): Promise<unknown> {
    return this.#find('findUnique', args);
  }

  findUniqueOrThrow(args: object): Promise<unknown> {
    return this.#find('findUniqueOrThrow', args);
  }

  findFirst(args?: object): Promise<unknown> {
    return this.#find('findFirst', args);
  }

  findMany(args?: object): Promise<unknown> {
    return this.#find('findMany', args);
  }

  rowAt(args: { where: object }, id: Sql): RowInSql {
    const { statement, values } = this.reader.read(this.model, 'findMany', {
      ...args,
      where: { ...args.where, id: idOfRow },
    });
    const { texts, positions } = partsOf(statement);
    const parts = positions.map((position) => (values[position] === idOfRow ? id : values[position]));
    return { sql: sql(texts, ...parts), make: statement.make };
  }

  async #find(method: Method, args: object = {}): Promise<unknown> {
    const { statement, values } = this.reader.read(this.model, method, args);
    const { rows } = await sendOne(this.connection, { text: statement.sql, values, rowMode: 'array' });
    const made = (rows as [json: unknown][]).map(([json]) => statement.make(json));
    if (method === 'findMany') return made;
    if (made.length === 0 && method === 'findUniqueOrThrow') throw notFound(this.model, this.reader.version);
    return made[0] ?? null;
  }
}
