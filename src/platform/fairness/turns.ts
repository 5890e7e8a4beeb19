import { Cache } from '../caching/index.js';
import type { RequestObserver } from '../postgres/index.js';
import { parameters } from './parameters.js';
import { type Caller, FairQueue } from './shares.js';

interface Waiting {
  since: number;
  begin: () => void;
}

/** Waits until the response may become long. */
type BecomeLong = () => Promise<void>;

/**
 * A process builds one long response at a time: together they would take more memory than there is, and keep everybody
 * else waiting. Callers take turns. Decisions: "Query cost".
 */
export class LongResponses {
  readonly #shares = new FairQueue<Waiting>({ seats: 1 });

  /** Builds a response, whose turn, if it needs one, ends when it is built. */
  async build<T>(
    caller: Caller,
    build: (becomeLong: BecomeLong) => Promise<T>,
    observer?: RequestObserver,
  ): Promise<T> {
    let turn: Promise<void> | undefined;
    const becomeLong = () => {
      turn ??= this.#wait(caller, observer);
      return turn;
    };
    try {
      return await build(becomeLong);
    } finally {
      turn?.then(() => {
        this.#shares.leave(caller);
        this.#shares.next()?.begin();
      });
    }
  }

  async #wait(caller: Caller, observer: RequestObserver | undefined): Promise<void> {
    if (this.#shares.take(caller)) return;
    observer?.beginWait();
    await new Promise<void>((begin) => this.#shares.wait(caller, { since: performance.now(), begin }));
    observer?.endWait();
  }
}

interface Use {
  /** Until when the company has used up its part. */
  until: number;
  /** Milliseconds of the processor that one delivery needs, about. */
  mean: number;
}

interface DeliveryTurnsOptions {
  /** Requests that may be under way at once. */
  seats: number;
  /** Whether anybody else uses this process. While nobody does, a company may use all of the processor. */
  isShared?: (companyId: string) => boolean;
  now?: () => number;
}

/**
 * The turns of requests to webhooks, which companies share. Those of a company that have used more than its part of the
 * processor wait, while others use this process.
 */
export class DeliveryTurns {
  readonly #queue: FairQueue<Waiting>;
  readonly #now: () => number;
  readonly #uses = new Cache<string, Use>(parameters.use.flows);
  #timer: NodeJS.Timeout | undefined;

  constructor({ seats, isShared = () => true, now = () => performance.now() }: DeliveryTurnsOptions) {
    this.#now = now;
    const mostOf = (companyId: string) => (this.#pauseOf(companyId) > 0 ? 0 : Number.POSITIVE_INFINITY);
    this.#queue = new FairQueue({ seats, now, mostOf, isShared });
  }

  /** Runs it in a turn of the company. It tells `charge` how many milliseconds of the processor it has needed. */
  async take<T>(companyId: string, run: (charge: (milliseconds: number) => void) => Promise<T>): Promise<T> {
    const caller = { id: 'deliveries', flow: companyId };
    const use = this.#useOf(companyId);
    // Charged when it begins: those that have waited do not all begin in the same moment.
    const begin = () => this.#charge(use, use.mean);
    if (this.#queue.take(caller)) begin();
    else {
      await new Promise<void>((resolve) => {
        const next = () => {
          begin();
          resolve();
        };
        this.#queue.wait(caller, { since: this.#now(), begin: next });
        this.#schedule();
      });
    }
    let used = 0;
    try {
      return await run((milliseconds) => {
        used += milliseconds;
        // Up to the mean it was charged when the turn began.
        this.#charge(use, Math.min(milliseconds, Math.max(0, used - use.mean)));
      });
    } finally {
      use.mean += (used - use.mean) / parameters.use.remembered;
      this.#queue.leave(caller);
      this.#beginNext();
    }
  }

  #useOf(companyId: string): Use {
    const use = this.#uses.get(companyId) ?? { until: 0, mean: deliveries.mean };
    this.#uses.set(companyId, use);
    return use;
  }

  #charge(use: Use, milliseconds: number): void {
    const now = this.#now();
    const until = Math.max(use.until, now) + milliseconds / deliveries.part;
    use.until = Math.min(until, now + atOnce + deliveries.longestPause);
  }

  /** Milliseconds until the company may use the processor again. */
  #pauseOf(companyId: string): number {
    return (this.#uses.get(companyId)?.until ?? 0) - this.#now() - atOnce;
  }

  #beginNext(): void {
    for (let next = this.#queue.next(); next; next = this.#queue.next()) next.begin();
    this.#schedule();
  }

  /** Looks again when the first of those that wait for their part may go on. */
  #schedule(): void {
    if (this.#timer) return;
    const pauses = this.#queue.waitingFlows.map((id) => this.#pauseOf(id)).filter((pause) => pause > 0);
    if (pauses.length === 0) return;
    const look = () => {
      this.#timer = undefined;
      this.#beginNext();
    };
    this.#timer = setTimeout(look, Math.ceil(Math.min(...pauses)));
  }
}

const { deliveries } = parameters;
/** How long a company's part takes to give what it may use at once. */
const atOnce = deliveries.burst / deliveries.part;
