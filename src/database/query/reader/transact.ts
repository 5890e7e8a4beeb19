import type { PrismaClient } from '../../generated/client/client.js';
import type { Connection } from '../connection.js';
import { type HeldConnection, hasEnded } from '../heldConnection.js';
import { prismaOn } from '../prismaOn.js';

/** Where transactions begin, each on a connection of its own. */
export interface Beginning {
  begin(): Promise<HeldConnection>;
}

/**
 * Runs the work in a transaction: committed when it has succeeded, undone if it throws or takes longer than that.
 * `prisma` is for what the reader leaves to Prisma, and starts Prisma only then. Prisma's own transactions always do,
 * which costs 30 MB, and a restore with a key a sixth of its processor time.
 */
export async function transact<Result>(
  connections: Beginning,
  milliseconds: number,
  work: (connection: Connection, prisma: () => PrismaClient) => Promise<Result>,
): Promise<Result> {
  const held = await connections.begin();
  let ended: Promise<void> | undefined;
  const end = (statement: 'COMMIT' | 'ROLLBACK') => {
    ended ??= held
      .query({ text: statement })
      .then(() => {})
      .finally(() => held.release());
    return ended;
  };
  const connection: Connection = {
    query: async (statement) => {
      if (ended) throw hasEnded();
      return held.query(statement);
    },
  };
  let prisma: PrismaClient | undefined;
  const open = () => {
    prisma ??= prismaOn(connection);
    return prisma;
  };
  const expiry = setTimeout(() => void end('ROLLBACK').catch(() => {}), milliseconds);
  try {
    const result = await work(connection, open);
    if (ended) throw hasEnded();
    await end('COMMIT');
    return result;
  } catch (error) {
    await end('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    clearTimeout(expiry);
    await prisma?.$disconnect();
  }
}
