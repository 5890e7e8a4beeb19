import type { ClientBase } from 'pg';
import { DatabaseError } from '../../error.js';
import { type Database, type DatabaseOptions, openClient } from '../../query/client.js';
import { warmUp } from '../../warmUp.js';
import { SessionClient } from '../sessionClient.js';
import { identityOf, instanceOf, replayedBy } from './facts.js';
import type { LogPosition } from './logPosition.js';

/** How long a replica may take to accept a connection, and to say how far it is. */
const milliseconds = { connect: 1_000, response: 1_000 };
const heartbeatMilliseconds = 1_000;

export type ReplicaOptions = Omit<DatabaseOptions, 'url' | 'onConnect'>;

/** A standby from when it was reached until it is given up: always the same server, which has not restarted. */
export interface OpenReplica {
  db: Database;
  /** How far it was when it was last asked, which it is once a second; undefined if it has received nothing yet. */
  readonly replayed: LogPosition | undefined;
  /** Asks how far it is; several who ask at once share the response. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Connects to a standby. `onLost` is called when it does not respond any more. Throws if it is not one of this cluster. */
export async function openReplica(
  url: string,
  { identity, onLost, ...options }: ReplicaOptions & { identity: string; onLost: (error: Error) => void },
): Promise<OpenReplica> {
  const watcher = new SessionClient({
    connectionString: url,
    application_name: 'goalpost replica check',
    connectionTimeoutMillis: milliseconds.connect,
    query_timeout: milliseconds.response,
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
    let replayed = await replayedBy(watcher);
    const isTheSame = async (client: ClientBase) => {
      if ((await instanceOf(client)) === instance) return;
      throw Object.assign(new Error('it is another server now, or has restarted'), { code: '57P03' });
    };
    const { connect, ...timeouts } = options.timeouts ?? { response: 0, statement: 0, lock: 0, idleTransaction: 0 };
    const shorter = { ...timeouts, connect: Math.min(connect ?? milliseconds.connect, milliseconds.connect) };
    const db = openClient({ ...options, url, timeouts: shorter, onConnect: isTheSame });
    await warmUp(db).catch(async (error) => {
      await db.$disconnect();
      throw error;
    });
    let asked: Promise<void> | undefined;
    const ask = async () => {
      try {
        replayed = (await replayedBy(watcher)) ?? replayed;
      } catch (error) {
        onLost(error as Error);
      } finally {
        asked = undefined;
      }
    };
    const check = () => {
      asked ??= ask();
      return asked;
    };
    const heartbeat = setInterval(() => void check(), heartbeatMilliseconds).unref();
    const close = async () => {
      clearInterval(heartbeat);
      end();
      await db.$disconnect();
    };
    return {
      db,
      get replayed() {
        return replayed;
      },
      check,
      close,
    };
  } catch (error) {
    end();
    throw error;
  }
}
