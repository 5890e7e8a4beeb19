import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Client } from './callers.js';

/** In 10 seconds: of one address, and of all. */
const most = { address: { points: 5, duration: 10 }, all: { points: 100, duration: 10 } };

/** How many unknown tokens are looked up although their address is over its limit. */
export class LookUps {
  readonly #ofAddress = new RateLimiterMemory({ keyPrefix: 'address', ...most.address });
  readonly #ofAll = new RateLimiterMemory({ keyPrefix: 'all', ...most.all });

  async isAllowed({ token, address }: Client): Promise<boolean> {
    if (!token) return false;
    try {
      await this.#ofAddress.consume(address);
      await this.#ofAll.consume('');
      return true;
    } catch {
      return false;
    }
  }
}
