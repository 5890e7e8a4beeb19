import type { Pool, PoolClient } from 'pg';
import {
  type Connection,
  type NameOf,
  type Statement,
  type StatementResult,
  sendStatement,
  withStackOfSender,
} from './connection.js';
import { wait } from './deadline.js';
import { type RequestScope, report } from './requestScope.js';

interface Holder {
  scope: RequestScope | undefined;
  /** Gives back the share of the pool. */
  release: () => void;
}

/** The connection of one transaction. Its statements run one after the other, within the deadline of the request. */
export class HeldConnection implements Connection {
  readonly #client: PoolClient;
  readonly #nameOf: NameOf;
  readonly #holder: Holder;
  #last: Promise<unknown> = Promise.resolve();
  #isReleased = false;
  /** PostgreSQL undoes a transaction in which a statement failed, and answers its COMMIT as if it were done. */
  #failed: { error: unknown } | undefined;

  private constructor(client: PoolClient, nameOf: NameOf, holder: Holder) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.#holder = holder;
    // Without a listener, the process would end. The next statement says that the connection is lost.
    client.on('error', ignore);
  }

  /** Begins a transaction. */
  static async begin(pool: Pool, nameOf: NameOf, holder: Holder): Promise<HeldConnection> {
    const client = await pool.connect().catch((error) => {
      holder.release();
      throw error;
    });
    const connection = new HeldConnection(client, nameOf, holder);
    try {
      await connection.#send({ text: 'BEGIN' });
      return connection;
    } catch (error) {
      connection.release();
      throw error;
    }
  }

  /** Resolvers ask at the same time, but a transaction has one connection, which serves others when it has ended. */
  query(statement: Statement): Promise<StatementResult> {
    const hadFailed = this.#failed !== undefined;
    const queryInTurn = () => {
      const result = this.#last.then(() => this.#queryNow(statement));
      this.#last = result.catch(() => {});
      return result;
    };
    return wait(this.#holder.scope, queryInTurn).catch((error) => {
      throw hadFailed ? error : withStackOfSender(error);
    });
  }

  async #queryNow(statement: Statement): Promise<StatementResult> {
    if (this.#isReleased) throw hasEnded();
    if (this.#failed && statement.text !== 'ROLLBACK') throw this.#failed.error;
    try {
      return await report(this.#holder.scope, statement.text, () => this.#send(statement));
    } catch (error) {
      this.#failed ??= { error };
      throw error;
    }
  }

  #send(statement: Statement): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      sendStatement(this.#client, this.#nameOf, statement, (error, result) =>
        result ? resolve(result) : reject(error),
      );
    });
  }

  /** Gives the connection back. The pool closes it if its transaction has not ended. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.off('error', ignore);
    this.#client.release();
    this.#holder.release();
  }
}

/** What a statement gets that comes after the end of its transaction. */
export const hasEnded = () => Object.assign(new Error('the transaction has ended'), { code: 'P2028' });

const ignore = () => {};
