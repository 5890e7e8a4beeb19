import { failure } from '../../errors/failures.js';
import type { Actor } from '../../policies/access.js';

const mostOfToken = 20;

const keyOf = ({ companyId, tokenId }: Actor) => `${companyId} ${tokenId}`;

/** How many streams are open, in all and of each token. */
export class StreamCounts {
  readonly #most: number;
  readonly #ofTokens = new Map<string, number>();
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get all(): number {
    return this.#all;
  }

  /** Throws RATE_LIMITED or SERVICE_UNAVAILABLE if there are too many. */
  add(actor: Actor): void {
    const ofToken = this.#ofTokens.get(keyOf(actor)) ?? 0;
    if (ofToken >= mostOfToken) throw failure('RATE_LIMITED', { limit: 'streams', retryAfter: 10 });
    if (this.#all >= this.#most) throw failure('SERVICE_UNAVAILABLE', { streams: true });
    this.#all += 1;
    this.#ofTokens.set(keyOf(actor), ofToken + 1);
  }

  remove(actor: Actor): void {
    this.#all -= 1;
    const ofToken = (this.#ofTokens.get(keyOf(actor)) ?? 0) - 1;
    if (ofToken > 0) this.#ofTokens.set(keyOf(actor), ofToken);
    else this.#ofTokens.delete(keyOf(actor));
  }
}
