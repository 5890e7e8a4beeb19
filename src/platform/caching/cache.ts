import { LRUCache } from 'lru-cache';

/** The entries used last. Takes memory only for those that it has, unlike `max` of `lru-cache`. */
export class Cache<Key extends {}, Value extends {}> extends LRUCache<Key, Value> {
  /** An entry older than `ttl` milliseconds is not found. */
  constructor(most: number, { ttl = 0 } = {}) {
    super({ ttl, maxSize: most, sizeCalculation: () => 1 });
  }
}

/** Makes a value when it is first asked for, and again if that has failed. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    if (made) return made.value;
    made = { value: make() };
    const { value } = made;
    if (value instanceof Promise)
      value.catch(() => {
        made = undefined;
      });
    return value;
  };
}
