import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { lazy } from '../caching/index.js';
import {
  DatabaseError,
  type Encryption,
  encryptionOf,
  reasonOf,
  SessionClient,
  withTimedClient,
} from '../servers/index.js';
import type { Database, DatabaseOptions } from './client.js';
import { rawSql } from './values.js';

/** How far the log of a cluster has come: to which byte, on which timeline. A promotion begins a new timeline. */
export interface LogPosition {
  timeline: number;
  lsn: bigint;
}

/**
 * SQL for the primary's log position up to which every acknowledged change is covered; null on a standby. With
 * `synchronous_commit=off`, changes are acknowledged before that.
 */
export const flushedPosition = `CASE WHEN NOT pg_is_in_recovery()
  THEN pg_walfile_name(pg_current_wal_flush_lsn()) || ' ' || pg_current_wal_flush_lsn() END`;

/** Reads what {@link flushedPosition} returns: the name of a log file, which starts with the timeline, and an LSN. */
export function readPosition(text: string | null | undefined): LogPosition | undefined {
  const [file = '', lsn] = text?.split(' ') ?? [];
  return lsn === undefined ? undefined : { timeline: Number.parseInt(file.slice(0, 8), 16), lsn: readLsn(lsn) };
}

/** Positions of two timelines cannot be compared: the log may have gone different ways. */
export const hasReached = (replayed: LogPosition | undefined, { timeline, lsn }: LogPosition): boolean =>
  replayed !== undefined && replayed.timeline === timeline && replayed.lsn >= lsn;

/** Reads an LSN such as `16/B374D848`. */
function readLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** The server is a primary, or was promoted. */
class NoStandby extends DatabaseError {}

/** The cluster and the database in it, which all of its servers have in common. */
const identity = `SELECT c.system_identifier || ' ' || d.oid AS identity
  FROM pg_control_system() c, pg_database d WHERE d.datname = current_database()`;

/** Since when the server runs. After a crash, a standby may show an earlier state than before. */
const instance = 'SELECT pg_postmaster_start_time()::text AS instance';

const state = `SELECT pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn()::text AS lsn,
  EXISTS (SELECT FROM pg_stat_wal_receiver) AS receives,
  (SELECT received_tli FROM pg_stat_wal_receiver) AS timeline`;

async function identityOf(client: ClientBase): Promise<string> {
  return (await client.query(identity)).rows[0]?.identity;
}

async function instanceOf(client: ClientBase): Promise<string> {
  return (await client.query(instance)).rows[0]?.instance;
}

/** What a standby has replayed; undefined while it receives nothing. Throws if it is none, or hides its timeline. */
async function replayedBy(client: ClientBase): Promise<LogPosition | undefined> {
  const [{ isStandby, lsn, receives, timeline }] = (await client.query(state)).rows;
  if (!isStandby) throw new NoStandby('it is not a standby');
  if (!receives || lsn === null) return undefined;
  // Without its timeline, the position of a standby cannot be compared with that of the primary.
  if (timeline === null)
    throw new DatabaseError('the role may not see its timeline. GRANT pg_read_all_stats to the role');
  return { timeline, lsn: readLsn(lsn) };
}

/** When a request that finds the replica behind asks again, in milliseconds after the previous response. */
const polls = [0, 1, 2, 4];
/** The longest wait of a request, and for how long others do not wait after one has waited for nothing. */
const waiting = { most: 20, thenNotFor: { least: 50, most: 1_000 } };

/** How requests wait for a replica that is behind. After one has waited for nothing, others do not wait for a while. */
class Lag {
  #until = 0;
  #milliseconds = 0;

  get isWorthWaiting(): boolean {
    return performance.now() >= this.#until;
  }

  /** Asks the replica again and again, until it has what is waited for, it is in use no more, or the time is over. */
  async wait<T>(ask: () => Promise<void>, found: () => T | undefined, isUsed: () => boolean): Promise<T | undefined> {
    const giveUp = performance.now() + waiting.most;
    for (const pause of polls) {
      if (pause > 0) await sleep(pause);
      const late = sleep(Math.max(0, giveUp - performance.now()), undefined, { ref: false });
      await Promise.race([ask(), late]);
      const result = found();
      if (result !== undefined) this.#milliseconds = 0;
      if (result !== undefined || performance.now() >= giveUp || !isUsed()) return result;
    }
    const { least, most } = waiting.thenNotFor;
    this.#milliseconds = Math.min(Math.max(2 * this.#milliseconds, least), most);
    this.#until = performance.now() + this.#milliseconds;
    return undefined;
  }
}

/** How long a replica may take to accept a connection, and to say how far it is. */
const milliseconds = { connect: 1_000, response: 1_000 };
const heartbeatMilliseconds = 1_000;

type ReplicaOptions = Omit<DatabaseOptions, 'url' | 'onConnect'> & {
  /** Opens a client, and makes its first connection. */
  open: (options: DatabaseOptions) => Promise<Database>;
};

/** A standby from when it was reached until it is given up: always the same server, which has not restarted. */
interface OpenReplica {
  db: Database;
  /** How far it was when it was last asked, which it is once a second; undefined if it has received nothing yet. */
  readonly replayed: LogPosition | undefined;
  /** Asks how far it is; several who ask at once share the response. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Connects to a standby. `onLost` is called when it does not respond any more. Throws if it is not one of this cluster. */
async function openReplica(
  url: string,
  { identity, onLost, open, ...options }: ReplicaOptions & { identity: string; onLost: (error: Error) => void },
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
    const db = await open({ ...options, url, timeouts: shorter, onConnect: isTheSame });
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

/** After a failure, the replica is tried again after a second, then after twice as long each time. */
const retries = { least: 1_000, most: 30_000 };

interface ReplicaEvents {
  onUsed: (address: string) => void;
  onLeft: (address: string, reason: string) => void;
}

/** A standby that may answer queries, as long as it has replayed what they must see. */
class Replica {
  readonly address: string;
  readonly #url: string;
  readonly #options: ReplicaOptions;
  readonly #identity: () => Promise<string>;
  readonly #events: ReplicaEvents;
  #opened: OpenReplica | undefined;
  readonly #lag = new Lag();
  #retryAfter = retries.least;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #reason = '';

  constructor(url: string, options: ReplicaOptions, identity: () => Promise<string>, events: ReplicaEvents) {
    this.address = new URL(url).host;
    this.#url = url;
    this.#options = options;
    this.#identity = identity;
    this.#events = events;
  }

  get isUsed(): boolean {
    return this.#opened !== undefined;
  }

  /** How far it was known to be when it was last asked. */
  get replayed(): LogPosition | undefined {
    return this.#opened?.replayed;
  }

  /** Whether to ask how far it is: it responds, and was not found behind just now. */
  get isWorthAsking(): boolean {
    return this.isUsed && this.#lag.isWorthWaiting;
  }

  /** Connects to it; if that fails, again and again. Resolves after the first time. */
  async open(): Promise<void> {
    try {
      const identity = await this.#identity();
      const onLost = (error: Error) => this.#leave(opened, error);
      let opened: OpenReplica | undefined;
      opened = await openReplica(this.#url, { ...this.#options, identity, onLost });
      if (this.#isClosed) return await opened.close();
      this.#opened = opened;
      this.#reason = '';
      this.#events.onUsed(this.address);
      setTimeout(() => this.#hasLasted(opened), retries.most).unref();
    } catch (error) {
      this.#retry(error as Error);
    }
  }

  /** The database if it is known to have replayed everything up to the position. */
  at(position: LogPosition): Database | undefined {
    return hasReached(this.replayed, position) ? this.#opened?.db : undefined;
  }

  /** The same, after asking it how far it is, a few times within some milliseconds. */
  reach(position: LogPosition): Promise<Database | undefined> {
    return this.#lag.wait(
      async () => this.#opened?.check(),
      () => this.at(position),
      () => this.isUsed,
    );
  }

  /** A request failed on it. If it does not respond now, it is not used for a while. */
  suspect(): void {
    void this.#opened?.check();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#opened?.close();
    this.#opened = undefined;
  }

  /** Gives up its connections. Requests on them go to the primary. */
  #leave(opened: OpenReplica | undefined, error: Error): void {
    if (!opened || this.#opened !== opened) return;
    this.#opened = undefined;
    void opened.close();
    this.#retry(error);
  }

  #retry({ message }: Error): void {
    if (this.#isClosed) return;
    if (message !== this.#reason) this.#events.onLeft(this.address, message);
    this.#reason = message;
    this.#timer = setTimeout(() => void this.open(), this.#retryAfter * (0.5 + Math.random() / 2)).unref();
    this.#retryAfter = Math.min(2 * this.#retryAfter, retries.most);
  }

  #hasLasted(opened: OpenReplica | undefined): void {
    if (this.#opened === opened) this.#retryAfter = retries.least;
  }
}

interface ChosenReplica {
  address: string;
  db: Database;
  /** To be called when a request failed on it. */
  suspect(): void;
}

export interface ReplicaState {
  address: string;
  isUsed: boolean;
  /** How far it was behind the latest request when it was last asked; undefined if it is not used. */
  bytesBehind: number | undefined;
}

interface ReplicasOptions extends ReplicaOptions {
  urls: readonly string[];
  /** The primary, which says what cluster the replicas must be of. */
  db: Database;
  onUsed: (address: string) => void;
  onLeft: (address: string, reason: string) => void;
}

/** Standbys that answer queries in the primary's place. None of them is ever needed. */
export class Replicas {
  readonly #replicas: Replica[];
  #turn = 0;
  #latest: LogPosition | undefined;

  private constructor({ urls, db, onUsed, onLeft, ...options }: ReplicasOptions) {
    const identityOfPrimary = lazy(() => readIdentity(db));
    this.#replicas = urls.map((url) => new Replica(url, options, identityOfPrimary, { onUsed, onLeft }));
  }

  /** Tries to reach each of them, and goes on trying. */
  static async open(options: ReplicasOptions): Promise<Replicas> {
    const replicas = new Replicas(options);
    await Promise.all(replicas.#replicas.map((replica) => replica.open()));
    return replicas;
  }

  /** One that has replayed everything up to the position; undefined if none has, or does within some milliseconds. */
  async at(position: LogPosition): Promise<ChosenReplica | undefined> {
    this.#note(position);
    this.#turn += 1;
    const start = this.#turn % this.#replicas.length;
    const inTurn = [...this.#replicas.slice(start), ...this.#replicas.slice(0, start)];
    for (const replica of inTurn) {
      const db = replica.at(position);
      if (db) return chosen(replica, db);
    }
    const asked = inTurn.find(({ isWorthAsking }) => isWorthAsking);
    const db = await asked?.reach(position);
    return asked && db && chosen(asked, db);
  }

  get states(): ReplicaState[] {
    return this.#replicas.map(({ address, isUsed, replayed }) => {
      const isComparable = replayed && replayed.timeline === this.#latest?.timeline;
      const behind = isComparable && this.#latest ? Number(this.#latest.lsn - replayed.lsn) : 0;
      return { address, isUsed, bytesBehind: isUsed ? Math.max(0, behind) : undefined };
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  #note(position: LogPosition): void {
    const { timeline = 0, lsn = 0n } = this.#latest ?? {};
    if (position.timeline > timeline || (position.timeline === timeline && position.lsn > lsn)) this.#latest = position;
  }
}

const chosen = (replica: Replica, db: Database): ChosenReplica => ({
  address: replica.address,
  db,
  suspect: () => replica.suspect(),
});

async function readIdentity(db: Database): Promise<string> {
  const [row] = await db.$queryRaw<{ identity: string }[]>(rawSql(identity));
  if (!row) throw new DatabaseError('the primary does not tell its cluster');
  return row.identity;
}

/** How far a replica is behind, that it is the primary now, or why the gateway would not use it. */
export type InspectedReplica = { address: string } & (
  | { failure: string }
  | { isPrimary: true }
  | { bytesBehind: number; encryption: Encryption }
);

/** Asks every replica whether it follows the primary, at once. `milliseconds` is how long one may take to respond. */
export async function inspectReplicas(
  urls: readonly string[],
  primaryUrl: string,
  milliseconds: number,
): Promise<InspectedReplica[]> {
  const primary = await withTimedClient(primaryUrl, milliseconds, async (client) => ({
    identity: await identityOf(client),
    position: readPosition((await client.query(`SELECT ${flushedPosition} AS position`)).rows[0]?.position),
  }));
  return Promise.all(urls.map((url) => inspectReplica(url, primary, milliseconds)));
}

async function inspectReplica(
  url: string,
  { identity, position }: { identity: string; position: ReturnType<typeof readPosition> },
  milliseconds: number,
): Promise<InspectedReplica> {
  const address = new URL(url).host;
  try {
    return await withTimedClient(url, milliseconds, async (client) => {
      if ((await identityOf(client)) !== identity) return { address, failure: 'it is of another cluster or database' };
      const replayed = await replayedBy(client);
      if (!replayed) return { address, failure: 'it receives nothing from the primary' };
      if (replayed.timeline !== position?.timeline) return { address, failure: 'it is on another timeline' };
      const bytesBehind = Math.max(0, Number(position.lsn - replayed.lsn));
      return { address, bytesBehind, encryption: await encryptionOf(client) };
    });
  } catch (error) {
    if (error instanceof NoStandby) return { address, isPrimary: true };
    return { address, failure: reasonOf(error) };
  }
}
