import { LRUCache } from 'lru-cache';

/**
 * The entries that were used last, as many as `most`. It takes memory for those that it has; with `max`, `lru-cache`
 * takes it at once for all that there may be.
 */
export class Cache<Key extends {}, Value extends {}> extends LRUCache<Key, Value> {
  /** An entry older than `ttl` milliseconds is not found. */
  constructor(most: number, { ttl = 0 } = {}) {
    super({ ttl, maxSize: most, sizeCalculation: () => 1 });
  }
}
