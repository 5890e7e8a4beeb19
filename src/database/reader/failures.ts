import { Prisma } from '../generated/client/client.js';

/** Prisma's codes for what can go wrong with a statement; what Postgres alone has a code for is P2039. */
const codes: Record<string, string> = {
  AuthenticationFailed: 'P1000',
  DatabaseNotReachable: 'P1001',
  DatabaseDoesNotExist: 'P1003',
  SocketTimeout: 'P1008',
  DatabaseAccessDenied: 'P1010',
  TlsConnectionError: 'P1011',
  ConnectionClosed: 'P1017',
  InvalidInputValue: 'P2007',
  ValueOutOfRange: 'P2020',
  TableDoesNotExist: 'P2021',
  ColumnNotFound: 'P2022',
  InconsistentColumnData: 'P2023',
  TransactionWriteConflict: 'P2034',
  TooManyConnections: 'P2037',
  postgres: 'P2039',
};

interface Cause {
  kind: string;
  originalCode?: string;
  originalMessage?: string;
}

/** A failure of the database has the code that Prisma gives it when one of its own reads fails. */
export const readFailure = <T>(answer: Promise<T>) => failing(answer, ({ kind }) => codes[kind]);

/** A failure of the database has the code that Prisma gives it when a raw query fails. */
export const rawFailure = <T>(answer: Promise<T>) => failing(answer, () => 'P2010');

async function failing<T>(answer: Promise<T>, codeOf: (cause: Cause) => string | undefined): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'DriverAdapterError') throw error;
    const cause = error.cause as Cause;
    const code = codeOf(cause);
    if (code === undefined) throw error;
    const { originalCode = 'N/A', originalMessage = error.message } = cause;
    throw new Prisma.PrismaClientKnownRequestError(`Code: \`${originalCode}\`. Message: \`${originalMessage}\``, {
      code,
      clientVersion: Prisma.prismaVersion.client,
      meta: { driverAdapterError: error },
    });
  }
}
