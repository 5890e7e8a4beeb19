import type { Progress } from './record.js';
import { failuresBeforeWaiting, waitAfter } from './retrySchedule.js';
import type { Delivery } from './sending/sender.js';
import type { Taken } from './taken.js';

/** What the deliveries of one lease say of the endpoint as a whole. */
export class Endpoint {
  /** Failures since the last success. */
  failures: number;
  /** How often it has waited as a whole since then. */
  waits = 0;
  #isFailing = false;
  #isHopeless = false;
  #hasNews = false;
  #hasSucceeded = false;
  #isGone = false;
  #retryAfter = 0;
  /** Whether its failures have made it wait. Those that were under way then do not make it wait for longer. */
  #hasToWait = false;

  constructor(failures: number) {
    this.failures = failures;
  }

  /** What the database says of it at the beginning of a round. */
  begin({ waits, isFailing, isHopeless }: Taken): void {
    this.waits = waits;
    this.#isFailing = isFailing;
    this.#isHopeless = isHopeless;
  }

  /** Whether it fails so often that only its oldest failure and its next event are tried. */
  get isWaiting(): boolean {
    return this.failures >= failuresBeforeWaiting;
  }

  /** Whether nothing more may be sent now. */
  get isClosed(): boolean {
    return this.#isGone || this.#retryAfter > 0 || (this.isWaiting && (this.#hasNews || this.#hasToWait));
  }

  /** What an owner has asked to have sent once says nothing bad of the endpoint, except that it is gone. */
  note({ isAcknowledged, status, retryAfter = 0 }: Delivery, { once }: { once: boolean }): void {
    if (status === 410) this.#isGone = true;
    if (once && !isAcknowledged) return;
    this.#hasNews = true;
    if (isAcknowledged) {
      this.#hasSucceeded = true;
      this.#hasToWait = false;
    }
    this.failures = isAcknowledged ? 0 : this.failures + 1;
    this.#retryAfter = Math.max(this.#retryAfter, retryAfter);
  }

  /** Seconds to wait as a whole; undefined to go on waiting. */
  #waitFor(): number | undefined {
    if (!this.isWaiting) {
      this.waits = 0;
      return this.#retryAfter;
    }
    if (this.#hasToWait) return undefined;
    this.#hasToWait = true;
    this.waits += 1;
    return Math.max(waitAfter(this.waits - 1), this.#retryAfter);
  }

  /** What is to be recorded of it. */
  take(): Pick<Progress, 'failures' | 'waits' | 'wait' | 'failing' | 'disabled'> {
    const { failures } = this;
    const [hasNews, hasSucceeded] = [this.#hasNews, this.#hasSucceeded];
    this.#hasNews = this.#hasSucceeded = false;
    const gone = this.#isGone ? ('gone' as const) : undefined;
    if (!hasNews) return { failures, waits: this.waits, wait: undefined, failing: undefined, disabled: gone };
    const wait = this.#waitFor();
    const begins = failures > 0 && (!this.#isFailing || hasSucceeded);
    this.#isFailing = failures > 0;
    const isHopeless = this.#isHopeless && this.isWaiting && !hasSucceeded;
    return {
      failures,
      waits: this.waits,
      wait,
      failing: failures === 0 ? 'no' : begins ? 'since' : undefined,
      disabled: gone ?? (isHopeless ? 'failing' : undefined),
    };
  }
}
