import { DatabaseError } from '../../error.js';
import { Prisma } from '../../generated/client/client.js';
import type { Database } from '../../query/client.js';
import { identity } from './facts.js';
import type { LogPosition } from './logPosition.js';
import type { ReplicaOptions } from './openReplica.js';
import { Replica } from './replica.js';

export interface ChosenReplica {
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

export interface ReplicasOptions extends ReplicaOptions {
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
    let known: Promise<string> | undefined;
    const identityOfPrimary = () => {
      known ??= readIdentity(db).catch((error) => {
        known = undefined;
        throw error;
      });
      return known;
    };
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
  const [row] = await db.$queryRaw<{ identity: string }[]>(Prisma.raw(identity));
  if (!row) throw new DatabaseError('the primary does not tell its cluster');
  return row.identity;
}
