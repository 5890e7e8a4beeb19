import type { Prisma, PrismaClient } from '../../generated/client/client.js';
import type { Connection } from '../connection.js';
import { KeptSelection } from './keptSelection.js';
import { readOf, readRows, type Statements } from './read.js';
import { type RowInSql, rowAt } from './rowAt.js';
import type { Method } from './statement.js';

/** Where reads are answered; `prisma` answers those that the reader does not know for sure. */
export interface Answerer {
  connection: Connection;
  statements: Statements;
  prisma: () => PrismaClient;
}

/**
 * Reads of one model. Those within one company are each one prepared statement that returns JSON. Every table in it is
 * bound to that company, which is the `companyId` of the outermost `where`.
 */
export class Finds {
  readonly #answerer: Answerer;
  readonly #model: string;

  constructor(answerer: Answerer, model: string) {
    this.#answerer = answerer;
    this.#model = model;
  }

  async findMany(args: object): Promise<unknown> {
    return this.#rows('findMany', args) ?? this.#ask('findMany', args);
  }

  findFirst(args: object): Promise<unknown> {
    return this.#row('findFirst', args);
  }

  findUnique(args: object): Promise<unknown> {
    return this.#row('findUnique', args);
  }

  async findUniqueOrThrow(args: object): Promise<unknown> {
    // If there is no row, Prisma says so.
    return (await this.#row('findUniqueOrThrow', args)) ?? this.#ask('findUniqueOrThrow', args);
  }

  /** The row with an id that another part of a statement finds; undefined if it is left to Prisma. */
  rowAt(args: { where: object }, id: Prisma.Sql): RowInSql | undefined {
    return rowAt(this.#answerer.statements, this.#model, args, id);
  }

  async #row(method: Method, args: object): Promise<unknown> {
    const rows = this.#rows(method, args);
    return rows ? ((await rows)[0] ?? null) : this.#ask(method, args);
  }

  #rows(method: Method, args: object): Promise<unknown[]> | undefined {
    const { connection, statements } = this.#answerer;
    const read = readOf(statements, this.#model, method, args);
    return read && readRows(connection, read);
  }

  #ask(method: Method, args: object): Promise<unknown> {
    const plain = Object.entries(args).map(([name, part]) => [
      name,
      part instanceof KeptSelection ? part.plain() : part,
    ]);
    return Reflect.get(this.#answerer.prisma(), delegateName(this.#model))[method](Object.fromEntries(plain));
  }
}

/** `Goal` is `client.goal`. */
export const delegateName = (model: string) => model.charAt(0).toLowerCase() + model.slice(1);
