import { channel, tracingChannel } from 'node:diagnostics_channel';

/** One SQL statement. Its parameters are not in the text. */
export interface Statement {
  sql: string;
}

/** Reports every statement of the client, from when it is sent until it is answered, in the context of its sender. */
export const statementChannel = tracingChannel<Statement, Statement>('goalpost:statement');

/** Reports when a request begins to wait for the database, and when it does not wait any more. */
export const waitChannel = channel('goalpost:wait');

/** Reports that a statement or transaction lost to another and is repeated. */
export const repetitionChannel = channel('goalpost:repetition');

/** Sends a statement and reports it. */
export const report = <T>(sql: string, send: () => Promise<T>): Promise<T> =>
  statementChannel.tracePromise(send, { sql });
