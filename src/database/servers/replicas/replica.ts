import type { Database } from '../../query/client.js';
import { Lag } from './lag.js';
import { hasReached, type LogPosition } from './logPosition.js';
import { type OpenReplica, openReplica, type ReplicaOptions } from './openReplica.js';

/** After a failure, the replica is tried again after a second, then after twice as long each time. */
const retries = { least: 1_000, most: 30_000 };

interface ReplicaEvents {
  onUsed: (address: string) => void;
  onLeft: (address: string, reason: string) => void;
}

/** A standby that may answer queries, as long as it has replayed what they must see. */
export class Replica {
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
