import { nobody } from '../../database/query/caller.js';
import { RecentUse } from '../../database/query/recentUse.js';
import { Shares } from '../../database/query/shares.js';

/** What became of a request that asked for a slot: refused because of its caller's other requests, or of the load. */
export type Decision = 'admitted' | 'too many of one' | 'overloaded';

interface Waiting {
  since: number;
  decide: (decision: Decision) => void;
}

/**
 * How long requests may wait, in milliseconds: in a burst of few or of many callers, while no slot becomes free, and in
 * a queue that has stood for longer than a burst.
 */
const waits = { few: 15_000, many: 500, stalled: 500, least: 20, most: 250 };
const interval = 10;
const waitingPerSlot = 50;
/** More than an honest client sends at once. */
const leastWaiting = 1_000;
/** How many milliseconds of the processor all requests of a company that uses much of it may need together. */
const mostTogether = 10;
/** How many requests the mean duration looks back. */
const remembered = 50;

/**
 * Bounds how many requests are in progress. Others wait for a slot, which callers share, and are refused when they have
 * waited too long. As long as no more companies wait than there are slots, each of them waits only for itself, and a
 * burst may take its time. More than that for longer than a moment, or slots of which none becomes free, are overload:
 * a request then waits for no longer than about two requests take, so that what is admitted has hardly waited. A
 * company that uses much of the processor has no more in progress than needs a moment of it, while others ask, too.
 */
export class Admission {
  readonly #slots: number;
  readonly #shares: Shares<Waiting>;
  readonly #now: () => number;
  readonly #processorUse: RecentUse;
  #meanDuration = 0;
  #crowdedSince: number | undefined;
  /** Counted in turns of the timer: a process that has had no time itself is not stalled. */
  #stalledFor = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(slots: number, now = () => performance.now()) {
    this.#slots = slots;
    this.#now = now;
    this.#processorUse = new RecentUse(mostTogether, now);
    this.#shares = new Shares(slots, now, (group) => this.#processorUse.mostAtOnce(group));
  }

  get inProgress(): number {
    return this.#shares.taken;
  }

  get waiting(): number {
    return this.#shares.waiting;
  }

  /** Whether the request may run. Whoever was admitted calls `leave` once, with how long it took. */
  enter(caller = nobody): 'admitted' | Promise<Decision> {
    if (this.#shares.take(caller)) return 'admitted';
    const most = Math.max(this.#slots * waitingPerSlot, leastWaiting);
    if (this.#shares.waiting >= most) this.#refuse(this.#shares.removeFromLongest());
    const decision = new Promise<Decision>((decide) => this.#shares.wait(caller, { since: this.#now(), decide }));
    if (this.#shares.waitingGroups > this.#slots) this.#crowdedSince ??= this.#now();
    this.#admit();
    this.#schedule();
    return decision;
  }

  /** `known` is who the caller has turned out to be. `processor` is how much of its time the request has had. */
  leave(caller = nobody, milliseconds = this.#meanDuration, known = caller, processor = 0): void {
    if (processor > 0) this.#processorUse.add(known.group, processor);
    this.#meanDuration += (milliseconds - this.#meanDuration) / remembered;
    this.#stalledFor = 0;
    this.#shares.leave(caller, known);
    this.#admit();
    if (this.#shares.waitingGroups <= 1) this.#crowdedSince = undefined;
  }

  #admit(): void {
    for (let next = this.#shares.next(); next; next = this.#shares.next()) next.decide('admitted');
  }

  #refuse(removed: { item: Waiting; hasPart: boolean } | undefined): void {
    const isStuck = this.#isStalled && this.#shares.isOneGroup;
    removed?.item.decide(removed.hasPart && !isStuck ? 'too many of one' : 'overloaded');
  }

  get #isStalled(): boolean {
    return this.#stalledFor >= waits.stalled;
  }

  /** Refuses those that have waited too long. */
  #expire(): void {
    const now = this.#now();
    this.#admit();
    for (const removed of this.#shares.removeOlder((queuedSince) => now - this.#longestWait(queuedSince))) {
      this.#refuse(removed);
    }
    this.#schedule();
  }

  /** How long a request may wait in a queue of its company that has stood since then. */
  #longestWait(queuedSince: number): number {
    const soon = Math.min(Math.max(2 * this.#meanDuration, waits.least), waits.most);
    if (this.#isStalled) return soon;
    const [since, burst] =
      this.#crowdedSince === undefined ? [queuedSince, waits.few] : [this.#crowdedSince, waits.many];
    return this.#now() - since < burst ? burst : soon;
  }

  #schedule(): void {
    if (this.#shares.waiting === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#stalledFor = this.inProgress > 0 ? this.#stalledFor + interval : 0;
      this.#expire();
    }, interval);
  }
}
