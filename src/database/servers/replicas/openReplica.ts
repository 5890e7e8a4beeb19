import type { ClientBase } from 'pg';
import { DatabaseError } from '../../error.js';
import { type Database, type DatabaseOptions, openClient } from '../../query/client.js';
import { warmUp } from '../../warmUp.js';
import { SessionClient } from '../sessionClient.js';
import { identityOf, instanceOf, replayedBy } from './facts.js';
import type { LogPosition } from './logPosition.js';

/** How long a replica may take to accept a connection, and to say how far it is. */
const milliseconds = { connect: 1_000, answer: 1_000 };

export type ReplicaOptions = Omit<DatabaseOptions, 'url' | 'onConnect'>;

/** A standby from when it was reached until it is given up: always the same server, which has not restarted. */
export interface OpenReplica {
  db: Database;
  /** Asks how far it is; several who ask at once share the answer. */
  check(): Promise<LogPosition | undefined>;
  close(): Promise<void>;
}

/** Connects to a standby. `onLost` is called when its connection breaks. Throws if it is not one of this cluster. */
export async function openReplica(
  url: string,
  { identity, onLost, ...options }: ReplicaOptions & { identity: string; onLost: (error: Error) => void },
): Promise<OpenReplica> {
  const watcher = new SessionClient({
    connectionString: url,
    application_name: 'goalpost replica check',
    connectionTimeoutMillis: milliseconds.connect,
    query_timeout: milliseconds.answer,
    keepAlive: true,
  });
  watcher.on('error', onLost);
  const end = () => {
    watcher.off('error', onLost).on('error', () => {});
    void watcher.end().catch(() => {});
    watcher.connection.stream.destroy();
  };
  try {
    await watcher.connect();
    if ((await identityOf(watcher)) !== identity) throw new DatabaseError('it is of another cluster or database');
    const instance = await instanceOf(watcher);
    await replayedBy(watcher);
    const isTheSame = async (client: ClientBase) => {
      if ((await instanceOf(client)) === instance) return;
      throw Object.assign(new Error('another server answers, or it has restarted'), { code: '57P03' });
    };
    const { connect, ...timeouts } = options.timeouts ?? { answer: 0, statement: 0, lock: 0, idleTransaction: 0 };
    const shorter = { ...timeouts, connect: Math.min(connect ?? milliseconds.connect, milliseconds.connect) };
    const db = openClient({ ...options, url, timeouts: shorter, onConnect: isTheSame });
    await warmUp(db).catch(async (error) => {
      await db.$disconnect();
      throw error;
    });
    let asked: Promise<LogPosition | undefined> | undefined;
    const check = () => {
      asked ??= replayedBy(watcher).finally(() => {
        asked = undefined;
      });
      return asked;
    };
    const close = async () => {
      end();
      await db.$disconnect();
    };
    return { db, check, close };
  } catch (error) {
    end();
    throw error;
  }
}
