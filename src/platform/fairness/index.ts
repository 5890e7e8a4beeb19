import { Cache } from '../caching/index.js';

/** Who asks: a token and its company, or the address of a request without a token that is known, as both. */
export interface Caller {
  id: string;
  flow: string;
}

/** The gateway itself, such as its health checks. It needs little, so that nobody keeps seats free for it. */
export const nobody: Caller = { id: '', flow: '' };

/** For how long, in milliseconds, somebody who has asked counts as one who asks. */
const rememberedFor = 10_000;

/** When something was there last, and when something else was. */
class Latest {
  #last = { key: '', at: Number.NEGATIVE_INFINITY };
  #other = this.#last;

  note(key: string, at: number): void {
    if (key !== this.#last.key) this.#other = this.#last;
    this.#last = { key, at };
  }

  hasOther(key: string, now: number): boolean {
    return (key === this.#last.key ? this.#other : this.#last).at > now - rememberedFor;
  }
}

/** What a flow has used of what is shared. */
interface Use {
  /** Milliseconds of the last second, about: they fade. */
  recent: number;
  at: number;
  /** Milliseconds of one use, over the last ten. */
  mean: number;
  hasFailed: boolean;
}

/** A flow that has used more than so many milliseconds in the last second is limited while others ask. */
const muchUse = 300;
/** Seats of a flow until it is known how long its requests take. */
const seatsOfUnknown = 3;
const usesInMean = 10;
const flowsRemembered = 10_000;

/** A company, or an address without a valid token. */
interface Flow {
  held: number;
  /** Which of all seats given was its last; 0 before the first. */
  served: number;
  waiting: number;
  shares: Map<string, Share>;
}

/** One caller of a flow. */
interface Share {
  caller: Caller;
  flow: Flow;
  held: number;
  served: number;
  waiting: Waiting[];
}

/** What became of somebody who has waited: refused because of what its flow holds or uses, or because of all others. */
export type Decision = 'admitted' | 'too many of one' | 'overloaded';

interface Waiting {
  since: number;
  decide: (decision: Decision) => void;
}

interface Bounds {
  /** How many may wait. */
  waiting: number;
  /** For how many milliseconds, as long as no more flows wait than there are seats, and each waits only for itself. */
  ofFew: number;
  /** The same if more flows wait, or if nobody has given a seat back for as long. */
  ofMany: number;
}

interface Options {
  seats: number;
  /** Milliseconds of what is shared that all that a limited flow does at the same time may need together. */
  together: number;
  /** The seats that a limited flow has in any case. */
  least?: number;
  /** If omitted, nobody is refused. */
  bounds?: Bounds;
  now?: () => number;
}

const tick = 10;

/**
 * Seats that callers share fairly, by company and within it by token: a free one goes to who holds fewest. Nobody gets
 * more than remain free while others ask, so that the next one who comes finds one. Whoever has used much of what is
 * behind the seats gets few. Others wait, oldest first. README.md has the rules.
 */
export class FairQueue {
  readonly #options: Required<Omit<Options, 'bounds'>> & Pick<Options, 'bounds'>;
  readonly #flows = new Map<string, Flow>();
  /** Those of which something waits. */
  readonly #queues = new Set<Share>();
  readonly #uses = new Cache<string, Use>(flowsRemembered);
  readonly #recent = { tokens: new Latest(), flows: new Latest(), companies: new Latest() };
  #taken = 0;
  #given = 0;
  #waiting = 0;
  /** Counted in turns of the timer: a process that has had no time itself is not stalled. */
  #stalledFor = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = { least: 0, now: () => performance.now(), ...options };
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a seat, which is given back by {@link leave}. Returns false if there is none for this caller now. */
  take(caller: Caller): boolean {
    const share = this.#shareOf(caller);
    if (share.waiting.length > 0 || !this.#mayTake(share)) {
      this.#forgetIdle(share);
      return false;
    }
    this.#give(share);
    return true;
  }

  /** Takes a seat, or waits for one. */
  enter(caller: Caller): 'admitted' | Promise<Decision> {
    if (this.take(caller)) return 'admitted';
    const { bounds, now } = this.#options;
    if (bounds && this.#waiting >= bounds.waiting) this.#refuseOldest(this.#longestQueue());
    const decision = new Promise<Decision>((decide) => {
      const share = this.#shareOf(caller);
      share.waiting.push({ since: now(), decide });
      share.flow.waiting += 1;
      this.#waiting += 1;
      this.#queues.add(share);
    });
    this.#schedule();
    return decision;
  }

  /**
   * Gives a seat back. `known` is who the caller has turned out to be meanwhile, and `used` how many milliseconds of what
   * is shared it has needed.
   */
  leave(caller: Caller, { known = caller, used = 0, hasFailed = false } = {}): void {
    this.#note(known);
    if (used > 0) this.#count(known.flow, used, hasFailed);
    const share = this.#shareOf(caller);
    this.#taken -= 1;
    share.held -= 1;
    share.flow.held -= 1;
    this.#forgetIdle(share);
    this.#stalledFor = 0;
    this.#admit();
  }

  /** Whether a flow holds all that it may because of what it has used, while other companies ask. */
  isLimited(flow: string): boolean {
    const { held = 0 } = this.#flows.get(flow) ?? {};
    return this.#recent.companies.hasOther(flow, this.#options.now()) && held >= this.#mostAtOnce(flow);
  }

  /** Whether what a flow has used last has failed, which may be why it took long. */
  hasFailed(flow: string): boolean {
    return this.#uses.get(flow)?.hasFailed ?? false;
  }

  #note(caller: Caller): void {
    if (caller === nobody) return;
    const { id, flow } = caller;
    const { tokens, flows, companies } = this.#recent;
    const now = this.#options.now();
    tokens.note(id, now);
    flows.note(flow, now);
    if (flow !== id) companies.note(flow, now);
  }

  #count(flow: string, milliseconds: number, hasFailed: boolean): void {
    const { mean } = this.#uses.get(flow) ?? { mean: milliseconds };
    this.#uses.set(flow, {
      recent: this.#recentUse(flow) + milliseconds,
      at: this.#options.now(),
      mean: mean + (milliseconds - mean) / usesInMean,
      hasFailed,
    });
  }

  #recentUse(flow: string): number {
    const use = this.#uses.get(flow);
    return use ? use.recent * Math.exp((use.at - this.#options.now()) / 1_000) : 0;
  }

  /** How many seats a flow may hold, by what it has used: what remains of that until it is much, and then a moment's. */
  #mostAtOnce(flow: string): number {
    const { together, least } = this.#options;
    const use = this.#uses.get(flow);
    if (!use) return seatsOfUnknown;
    const left = muchUse - this.#recentUse(flow);
    return Math.max(least, left > 0 ? Math.ceil(left / use.mean) : Math.floor(together / use.mean));
  }

  #mayTake({ caller, flow, held }: Share): boolean {
    const { seats, now } = this.#options;
    const free = seats - this.#taken;
    if (free <= 0 || this.isLimited(caller.flow)) return false;
    const { tokens, flows } = this.#recent;
    const time = now();
    return (
      (held < free || !tokens.hasOther(caller.id, time)) && (flow.held < free || !flows.hasOther(caller.flow, time))
    );
  }

  #shareOf(caller: Caller): Share {
    const flow = this.#flows.get(caller.flow) ?? { held: 0, served: 0, waiting: 0, shares: new Map() };
    this.#flows.set(caller.flow, flow);
    const share = flow.shares.get(caller.id) ?? { caller, flow, held: 0, served: 0, waiting: [] };
    flow.shares.set(caller.id, share);
    return share;
  }

  #forgetIdle({ caller, flow, held, waiting }: Share): void {
    if (held > 0 || waiting.length > 0) return;
    flow.shares.delete(caller.id);
    if (flow.shares.size === 0) this.#flows.delete(caller.flow);
  }

  #give(share: Share): void {
    this.#taken += 1;
    this.#given += 1;
    share.held += 1;
    share.flow.held += 1;
    share.served = this.#given;
    share.flow.served = this.#given;
  }

  /** Gives free seats to those who wait. */
  #admit(): void {
    while (this.#taken < this.#options.seats) {
      let next: Share | undefined;
      for (const share of this.#queues) if ((!next || isBefore(share, next)) && this.#mayTake(share)) next = share;
      if (!next) return;
      // Of many the newest, so that what is served has hardly waited.
      const position = next.waiting.length > this.#options.seats ? next.waiting.length - 1 : 0;
      this.#give(next);
      this.#remove(next, position)?.decide('admitted');
    }
  }

  #remove(share: Share, position: number): Waiting | undefined {
    const [removed] = share.waiting.splice(position, 1);
    share.flow.waiting -= 1;
    this.#waiting -= 1;
    if (share.waiting.length === 0) this.#queues.delete(share);
    return removed;
  }

  /** The queue of the caller for whom most wait, in the company for which most do. */
  #longestQueue(): Share | undefined {
    let longest: Share | undefined;
    for (const share of this.#queues) {
      const { flow, waiting } = longest ?? { flow: { waiting: 0 }, waiting: [] };
      const more = share.flow.waiting - flow.waiting || share.waiting.length - waiting.length;
      if (more > 0) longest = share;
    }
    return longest;
  }

  /** Refuses the oldest of a queue: because of its own flow if that holds its part, or if a seat is free that it may not take. */
  #refuseOldest(share: Share | undefined): void {
    const { seats } = this.#options;
    if (!share) return;
    const { caller, flow } = share;
    const isStuck = this.#isStalled && this.#flows.size === 1;
    const hasPart = this.isLimited(caller.flow) || this.#taken < seats || flow.held >= seats / this.#flows.size;
    this.#remove(share, 0)?.decide(hasPart && !isStuck ? 'too many of one' : 'overloaded');
    this.#forgetIdle(share);
  }

  get #isStalled(): boolean {
    return this.#stalledFor >= (this.#options.bounds?.ofMany ?? Number.POSITIVE_INFINITY);
  }

  /** Refuses who has waited too long. */
  #expire({ ofFew, ofMany }: Bounds): void {
    const flows = new Set([...this.#queues].map(({ flow }) => flow));
    const isCrowded = this.#isStalled || flows.size > this.#options.seats;
    const latest = this.#options.now() - (isCrowded ? ofMany : ofFew);
    for (const share of this.#queues) {
      while (share.waiting[0] && share.waiting[0].since <= latest) this.#refuseOldest(share);
    }
  }

  /** Looks again in a moment: what a flow has used fades, and waiting ends. */
  #schedule(): void {
    const { bounds } = this.#options;
    if (!bounds || this.#waiting === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#stalledFor = this.#taken > 0 ? this.#stalledFor + tick : 0;
      this.#admit();
      this.#expire(bounds);
      this.#schedule();
    }, tick);
  }
}

const isBefore = (one: Share, other: Share) =>
  (one.flow.held - other.flow.held ||
    one.flow.served - other.flow.served ||
    one.held - other.held ||
    one.served - other.served) < 0;
