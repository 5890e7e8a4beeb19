import { Cache } from '../caching/index.js';
import { parameters } from './parameters.js';

/** Who asks: a token and its company, or the address of a request without a token that is known, as both. */
export interface Caller {
  id: string;
  flow: string;
}

/** The gateway itself, such as its health checks. It needs little, so that nobody keeps seats free for it. */
export const nobody: Caller = { id: '', flow: '' };

/** Something that holds seats. */
interface Holder {
  held: number;
  served: number;
}

/** Of those that may be next, the one that holds fewest; of equals, the one that was served longest ago. */
function nextToServe<H extends Holder>(holders: Iterable<H>, isNext: (holder: H) => boolean): H | undefined {
  let least: H | undefined;
  for (const holder of holders) if ((!least || isBefore(holder, least)) && isNext(holder)) least = holder;
  return least;
}

const isBefore = (one: Holder, other: Holder) =>
  one.held < other.held || (one.held === other.held && one.served < other.served);

/** The item with the highest count; the first of those where they are equal. */
function mostOf<T>(items: Iterable<T>, countOf: (item: T) => number): T | undefined {
  let longest: T | undefined;
  for (const item of items) if (!longest || countOf(item) > countOf(longest)) longest = item;
  return longest;
}

/** Who has asked lately. */
class RecentCallers {
  readonly #now: () => number;
  readonly #tokens = new Latest();
  readonly #flows = new Latest();
  readonly #companies = new Latest();

  constructor(now: () => number) {
    this.#now = now;
  }

  note(caller: Caller): void {
    if (caller === nobody) return;
    const { id, flow } = caller;
    this.#tokens.note(id, this.#now());
    this.#flows.note(flow, this.#now());
    if (flow !== id) this.#companies.note(flow, this.#now());
  }

  /** Whether anybody else has, also of the same company. */
  hasOtherThan({ id }: Caller): boolean {
    return this.#isRecent(this.#tokens.otherThan(id));
  }

  /** Whether anybody else has who is not of the company. */
  hasOutside(flow: string): boolean {
    return this.#isRecent(this.#flows.otherThan(flow));
  }

  /** Whether another company has: somebody with a token. */
  hasOtherCompany(flow: string): boolean {
    return this.#isRecent(this.#companies.otherThan(flow));
  }

  #isRecent(at: number): boolean {
    return at > this.#now() - parameters.rememberedFor;
  }
}

/** When something was there last, and when something else was. */
class Latest {
  #last = { key: '', at: Number.NEGATIVE_INFINITY };
  #other = this.#last;

  note(key: string, at: number): void {
    if (key !== this.#last.key) this.#other = this.#last;
    this.#last = { key, at };
  }

  otherThan(key: string): number {
    return (key === this.#last.key ? this.#other : this.#last).at;
  }
}

interface Use {
  /** Of the last second, about: it fades. */
  milliseconds: number;
  at: number;
  /** Of one use. */
  mean: number;
  hasFailed: boolean;
}

const second = 1_000;
const { much, mostUnknown, remembered, flows } = parameters.use;

/** For how long each company has lately used something that callers share, such as the processor. */
export class RecentUse {
  readonly #uses = new Cache<string, Use>(flows);
  readonly #mostTogether: number;
  readonly #now: () => number;

  /** `mostTogether` is how many milliseconds all that a company with much use does at the same time may need. */
  constructor(mostTogether: number, now: () => number) {
    this.#mostTogether = mostTogether;
    this.#now = now;
  }

  /** Counts a use that is over, or has failed. */
  add(company: string, milliseconds: number, hasFailed = false): void {
    const at = this.#now();
    const { mean } = this.#uses.get(company) ?? { mean: milliseconds };
    this.#uses.set(company, {
      milliseconds: this.#recent(company, at) + milliseconds,
      at,
      mean: mean + (milliseconds - mean) / remembered,
      hasFailed,
    });
  }

  /** Whether the last use of a company has failed, which may be why it took long. */
  hasFailed(company: string): boolean {
    return this.#uses.get(company)?.hasFailed ?? false;
  }

  /**
   * How much a company may do at the same time, so that others hardly wait: what it may use before that is much, and then
   * no more than needs a moment together. What needs longer by itself pauses meanwhile.
   */
  mostAtOnce(company: string): number {
    const use = this.#uses.get(company);
    if (!use) return mostUnknown;
    const left = much - this.#recent(company, this.#now());
    return left > 0 ? Math.ceil(left / use.mean) : Math.floor(this.#mostTogether / use.mean);
  }

  #recent(company: string, now: number): number {
    const { milliseconds, at } = this.#uses.get(company) ?? { milliseconds: 0, at: now };
    return milliseconds * Math.exp((at - now) / second);
  }
}

/** What one caller holds, and what of it waits. */
interface Share<Item> {
  caller: Caller;
  held: number;
  /** Which of all seats given was its last; 0 before the first. */
  served: number;
  waiting: Item[];
}

/** The same of all callers of one company. */
interface Flow<Item> {
  held: number;
  served: number;
  waiting: number;
  /** Since when something has been waiting without a break. */
  queuedSince: number | undefined;
  shares: Map<string, Share<Item>>;
}

/** What all callers hold, and what of theirs waits. Those that neither hold nor wait for anything are forgotten. */
class Flows<Item extends { since: number }> {
  readonly #flows = new Map<string, Flow<Item>>();
  #taken = 0;
  #given = 0;
  #waiting = 0;
  #waitingFlowCount = 0;

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get waitingFlowCount(): number {
    return this.#waitingFlowCount;
  }

  get all(): ReadonlyMap<string, Flow<Item>> {
    return this.#flows;
  }

  /** The company of a caller, and its share in that. */
  of(caller: Caller): [Flow<Item>, Share<Item>] {
    const flow = this.#flows.get(caller.flow) ?? {
      held: 0,
      served: 0,
      waiting: 0,
      queuedSince: undefined,
      shares: new Map<string, Share<Item>>(),
    };
    const share = flow.shares.get(caller.id) ?? { caller, held: 0, served: 0, waiting: [] };
    this.#flows.set(caller.flow, flow);
    flow.shares.set(caller.id, share);
    return [flow, share];
  }

  give(flow: Flow<Item>, share: Share<Item>): void {
    this.#taken += 1;
    flow.held += 1;
    share.held += 1;
    this.#given += 1;
    flow.served = this.#given;
    share.served = this.#given;
  }

  takeBack(flow: Flow<Item>, share: Share<Item>): void {
    this.#taken -= 1;
    flow.held -= 1;
    share.held -= 1;
    this.forgetIdle(flow, share);
  }

  enqueue(flow: Flow<Item>, share: Share<Item>, item: Item): void {
    share.waiting.push(item);
    this.#waiting += 1;
    flow.waiting += 1;
    if (flow.waiting > 1) return;
    flow.queuedSince = item.since;
    this.#waitingFlowCount += 1;
  }

  /** Notes that this many items of the share no longer wait. */
  noteRemoved(flow: Flow<Item>, share: Share<Item>, count: number): void {
    this.#waiting -= count;
    flow.waiting -= count;
    if (flow.waiting === 0) {
      flow.queuedSince = undefined;
      this.#waitingFlowCount -= 1;
    }
    this.forgetIdle(flow, share);
  }

  forgetIdle(flow: Flow<Item>, { caller, held, waiting }: Share<Item>): void {
    if (held === 0 && waiting.length === 0) flow.shares.delete(caller.id);
    if (flow.shares.size === 0) this.#flows.delete(caller.flow);
  }
}

/** Something that waits for a seat. */
interface Waiting {
  /** When it came, in milliseconds. */
  since: number;
}

interface Options {
  seats: number;
  /** The time in milliseconds, from any moment. */
  now?: () => number;
  /** How many seats a flow may hold while others ask, because of what it uses. */
  mostOf?: (flow: string) => number;
  /** Whether others ask than this flow; those that have held a seat lately unless it is given. */
  isShared?: (flow: string) => boolean;
}

interface Removed<Item> {
  item: Item;
  /** Whether its caller holds its part of the seats: then it waits because of its own others. */
  hasPart: boolean;
}

/**
 * Seats that callers share. A free seat goes to the company that holds fewest, and in it to the token that holds
 * fewest, in turn where they are equal. Whoever is alone may hold all seats. As seats cannot be taken back, nobody may
 * hold more than are free for a while after somebody else has held one: half of them if nobody else does, and a third of
 * them if one other does, so that the next one who comes finds a free seat.
 */
export class FairQueue<Item extends Waiting> {
  readonly #seats: number;
  readonly #mostOf: (flow: string) => number;
  readonly #isShared: (flow: string) => boolean;
  readonly #flows = new Flows<Item>();
  readonly #recent: RecentCallers;

  constructor({ seats, now = () => performance.now(), mostOf = () => Number.POSITIVE_INFINITY, ...options }: Options) {
    this.#seats = seats;
    this.#recent = new RecentCallers(now);
    this.#mostOf = mostOf;
    this.#isShared = options.isShared ?? ((flow) => this.#recent.hasOtherCompany(flow));
  }

  get taken(): number {
    return this.#flows.taken;
  }

  get waiting(): number {
    return this.#flows.waiting;
  }

  /** The flows of which something waits. */
  get waitingFlows(): string[] {
    return [...this.#flows.all].filter(([, { waiting }]) => waiting > 0).map(([flow]) => flow);
  }

  /** How many flows wait. */
  get waitingFlowCount(): number {
    return this.#flows.waitingFlowCount;
  }

  /** Whether anybody has held a seat lately who is not of this flow. */
  hasOutside(flow: string): boolean {
    return this.#recent.hasOutside(flow);
  }

  /** Whether only one company has a seat or waits for one. */
  get isOneFlow(): boolean {
    return this.#flows.all.size <= 1;
  }

  /** Takes a seat. Returns false if there is none for this caller now. */
  take(caller: Caller): boolean {
    const [flow, share] = this.#flows.of(caller);
    if (share.waiting.length > 0 || !this.#mayTake(flow, share)) {
      this.#flows.forgetIdle(flow, share);
      return false;
    }
    this.#flows.give(flow, share);
    return true;
  }

  wait(caller: Caller, item: Item): void {
    this.#flows.enqueue(...this.#flows.of(caller), item);
  }

  /** Gives a seat back. `known` is who the caller has turned out to be meanwhile. */
  leave(caller: Caller, known = caller): void {
    this.#recent.note(known);
    this.#flows.takeBack(...this.#flows.of(caller));
  }

  /** Gives a free seat to whoever is next. Returns undefined if nobody waits who may have one. */
  next(): Item | undefined {
    const flow = nextToServe(this.#flows.all.values(), (each) => [...each.shares.values()].some(this.#isNextIn(each)));
    const share = flow && nextToServe(flow.shares.values(), this.#isNextIn(flow));
    if (!flow || !share) return undefined;
    // Of many the newest, so that what is served has hardly waited.
    const item = share.waiting.length > this.#seats ? share.waiting.pop() : share.waiting.shift();
    this.#flows.give(flow, share);
    this.#flows.noteRemoved(flow, share, 1);
    return item;
  }

  /** Removes what came before the moment that holds for its company. */
  removeOlder(momentOf: (queuedSince: number) => number): Removed<Item>[] {
    const removed: Removed<Item>[] = [];
    for (const flow of this.#flows.all.values()) {
      if (flow.queuedSince === undefined) continue;
      const moment = momentOf(flow.queuedSince);
      for (const share of flow.shares.values()) {
        const kept = share.waiting.findIndex(({ since }) => since > moment);
        const old = share.waiting.splice(0, kept < 0 ? share.waiting.length : kept);
        if (old.length === 0) continue;
        const hasPart = this.#hasPart(flow, share);
        removed.push(...old.map((item) => ({ item, hasPart })));
        this.#flows.noteRemoved(flow, share, old.length);
      }
    }
    return removed;
  }

  /** Removes the oldest of the caller for whom most wait. */
  removeFromLongest(): Removed<Item> | undefined {
    const flow = mostOf(this.#flows.all.values(), ({ waiting }) => waiting);
    const share = flow && mostOf(flow.shares.values(), ({ waiting }) => waiting.length);
    const item = share?.waiting.shift();
    if (!flow || !share || !item) return undefined;
    const hasPart = this.#hasPart(flow, share);
    this.#flows.noteRemoved(flow, share, 1);
    return { item, hasPart };
  }

  /** Whether a company holds all that it may because of what it uses, while other companies ask. */
  isLimited(caller: Caller): boolean {
    const { held = 0 } = this.#flows.all.get(caller.flow) ?? {};
    return this.#isShared(caller.flow) && held >= this.#mostOf(caller.flow);
  }

  readonly #isNextIn = (flow: Flow<Item>) => (share: Share<Item>) =>
    share.waiting.length > 0 && this.#mayTake(flow, share);

  #mayTake(flow: Flow<Item>, { caller, held }: Share<Item>): boolean {
    const free = this.#seats - this.taken;
    if (free <= 0 || this.isLimited(caller)) return false;
    return (
      (held < free || !this.#recent.hasOtherThan(caller)) && (flow.held < free || !this.#recent.hasOutside(caller.flow))
    );
  }

  #hasPart({ shares }: Flow<Item>, { caller, held }: Share<Item>): boolean {
    // What waits while a seat is free is held back by what its flow holds or uses.
    if (this.isLimited(caller) || this.taken < this.#seats) return true;
    return held >= Math.max(1, Math.floor(this.#seats / this.#flows.all.size / shares.size));
  }
}
