import { type LookUps, lookUpsTogether, type RowLookUp } from './lookUps.js';
import { type Connection, jsonOf, type Read, readOf, type Statements } from './read.js';
import type { Method } from './statement.js';

type Args = Record<string, unknown>;
type Row = Record<string, unknown>;

/** Reads of one model on one connection. */
export class Finds {
  readonly #connection: Connection;
  readonly #statements: Statements;
  readonly #model: string;
  readonly #lookUp = lookUpsTogether((lookUps) => this.#send(lookUps));

  constructor(connection: Connection, statements: Statements, model: string) {
    this.#connection = connection;
    this.#statements = statements;
    this.#model = model;
  }

  /** The rows, as Prisma would return them; undefined if Prisma has to answer. */
  find(method: Method, args: Args): Promise<unknown[]> | undefined {
    const read = readOf(this.#statements, this.#model, method, args);
    if (!read) return undefined;
    const { lookUp } = read.statement;
    if (!lookUp) return this.#rows(read);
    const { position } = lookUp;
    return this.#lookUp({ args, read, value: String(read.values[position]) }, position).then((row) =>
      row === null ? [] : [row],
    );
  }

  async #rows(read: Read): Promise<unknown[]> {
    return (await jsonOf(this.#connection, read)).map(read.statement.make);
  }

  async #send(lookUps: LookUps): Promise<unknown[]> {
    const values = [...new Set(lookUps.map(({ value }) => value))];
    if (values.length === 1) return this.#one(lookUps);
    const together = this.#together(lookUps[0], values);
    if (!together) return (await Promise.all(lookUps.map((lookUp) => this.#one([lookUp])))).flat();
    const { read, field, isAdded } = together;
    const found = new Map<unknown, unknown>();
    for (const json of await jsonOf(this.#connection, read)) found.set((read.statement.make(json) as Row)[field], json);
    return lookUps.map(({ value }) => {
      const json = found.get(value);
      if (json === undefined) return null;
      // Each caller gets a row of its own.
      const row = read.statement.make(json) as Row;
      if (isAdded) delete row[field];
      return row;
    });
  }

  /** All that ask for one row ask once. */
  async #one(lookUps: LookUps): Promise<unknown[]> {
    const { read } = lookUps[0];
    const [json = null] = await jsonOf(this.#connection, read);
    return lookUps.map(() => read.statement.make(json));
  }

  /** The same question about several rows, with the field by which they are told apart. */
  #together({ args, read: { statement } }: RowLookUp, values: string[]) {
    const { key = '', field = '' } = statement.lookUp ?? {};
    const { companyId } = (args.where as Record<string, Args>)[key] ?? {};
    const where = { companyId, [field]: { in: values } };
    const select = args.select as Args | undefined;
    const isAdded = select !== undefined && select[field] !== true;
    const read = readOf(this.#statements, this.#model, 'findMany', {
      ...args,
      where,
      ...(isAdded && { select: { ...select, [field]: true } }),
    });
    return read && { read, field, isAdded };
  }
}
