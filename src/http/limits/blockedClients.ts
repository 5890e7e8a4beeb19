import { LRUCache } from 'lru-cache';
import type { Client } from './callers.js';

/** What is limited: the requests of a token, its work, or the requests of an address. */
export type CountedLimit = 'token' | 'work' | 'address';

const most = 10_000;
const newKeys = () => new LRUCache<string, true>({ max: most });

/** Which clients are over a limit, and for how long. */
export class BlockedClients {
  readonly #keys = { token: newKeys(), work: newKeys(), address: newKeys() };

  block(limit: CountedLimit, key: string, milliseconds: number): void {
    this.#keys[limit].set(key, true, { ttl: Math.ceil(milliseconds) });
  }

  /** Milliseconds; 0 if it is not over the limit. */
  remaining(limit: CountedLimit, key: string): number {
    return Math.max(0, this.#keys[limit].getRemainingTTL(key));
  }

  /** The limit that the client is over, of its token or, if it has none, of its address. */
  limitOf({ token, address }: Client): { limit: CountedLimit; wait: number } | undefined {
    const limits = token === undefined ? (['address'] as const) : (['token', 'work'] as const);
    const waits = limits.map((limit) => ({ limit, wait: this.remaining(limit, token ?? address) }));
    return waits.find(({ wait }) => wait > 0);
  }
}
