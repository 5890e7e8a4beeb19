import pg, { type CustomTypesConfig, type Pool, type QueryConfig } from 'pg';

/** A statement, for whose values PostgreSQL infers the types. Its rows are objects, or arrays if it says so. */
export type Statement = Omit<QueryConfig, 'name'> & { rowMode?: 'array' };

export interface StatementResult {
  rows: unknown[];
  /** How many rows it has returned or written; null if it does neither. */
  rowCount: number | null;
}

/** Where statements are sent: the pool, or a transaction. */
export interface Connection {
  query(statement: Statement): Promise<StatementResult>;
}

/** Returns the name under which a connection prepares a text; an empty one if it does not. */
export type NameOf = (text: string) => string;

/** Sends a statement to a pool of the driver or to one of its clients. `done` is called once, with one of both. */
export function sendStatement(
  driver: Pick<Pool, 'query'>,
  nameOf: NameOf,
  { text, values, rowMode, types: own }: Statement,
  done: (error: Error | undefined, result?: StatementResult) => void,
): void {
  try {
    const config: object = { name: nameOf(text), text, values, rowMode, types: own ?? types };
    driver.query(config as QueryConfig, (error: Error | undefined, result: StatementResult) =>
      error ? done(withoutValues(error)) : done(undefined, result),
    );
  } catch (error) {
    done(error as Error);
  }
}

/** A log gets all that is enumerable of an error. */
const withValues = ['detail', 'where', 'internalQuery'];

/** PostgreSQL's error, of which Prisma reads more than a log may have. */
function withoutValues(error: Error): Error {
  if (error instanceof pg.DatabaseError) {
    for (const name of withValues) Object.defineProperty(error, name, { enumerable: false });
  }
  return error;
}

/**
 * The stack of a driver's error leads to its socket. Called where the error is caught, this makes it lead to who sent the
 * statement.
 */
export function withStackOfSender(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) Error.captureStackTrace(error);
  return error;
}

const { builtins } = pg.types;

/** The types that Prisma reads in another way than the driver. Sessions write times in UTC and ISO 8601. */
const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: BigInt,
  [builtins.DATE]: (text) => new Date(text),
  [builtins.TIMESTAMP]: (text) => new Date(`${text.replace(' ', 'T')}Z`),
  [builtins.TIMESTAMPTZ]: (text) => new Date(text.replace(' ', 'T').replace('+00', 'Z')),
};

const types: CustomTypesConfig = {
  getTypeParser: (type, format) => parsers[type] ?? pg.types.getTypeParser(type, format as 'text'),
};
