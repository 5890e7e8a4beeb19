import { LRUCache } from 'lru-cache';

/** Who asks: a token and its company, or the address of a request without a token that is known, as both. */
export interface Caller {
  id: string;
  group: string;
}

/** The gateway itself, such as its health checks. It needs little, so that nobody keeps slots free for it. */
export const nobody: Caller = { id: '', group: '' };

/** Something that holds slots. */
interface Holder {
  held: number;
  served: number;
}

/** Who holds fewest of those who may be next; the one that was served longest ago where they are equal. */
function leastHeld<H extends Holder>(holders: Iterable<H>, isNext: (holder: H) => boolean): H | undefined {
  let least: H | undefined;
  for (const holder of holders) if ((!least || isBefore(holder, least)) && isNext(holder)) least = holder;
  return least;
}

const isBefore = (one: Holder, other: Holder) =>
  one.held < other.held || (one.held === other.held && one.served < other.served);

/** The item with the highest count; the first of those where they are equal. */
export function mostOf<T>(items: Iterable<T>, countOf: (item: T) => number): T | undefined {
  let longest: T | undefined;
  for (const item of items) if (!longest || countOf(item) > countOf(longest)) longest = item;
  return longest;
}

/** For how long a caller counts as one who asks, in milliseconds. */
const rememberedFor = 10_000;

/** Who has asked lately. */
class RecentCallers {
  readonly #now: () => number;
  readonly #tokens = new Latest();
  readonly #groups = new Latest();
  readonly #companies = new Latest();

  constructor(now: () => number) {
    this.#now = now;
  }

  note(caller: Caller): void {
    if (caller === nobody) return;
    const { id, group } = caller;
    this.#tokens.note(id, this.#now());
    this.#groups.note(group, this.#now());
    if (group !== id) this.#companies.note(group, this.#now());
  }

  /** Whether anybody else has, also of the same company. */
  hasOtherThan({ id }: Caller): boolean {
    return this.#isRecent(this.#tokens.otherThan(id));
  }

  /** Whether anybody else has who is not of the company. */
  hasOutside({ group }: Caller): boolean {
    return this.#isRecent(this.#groups.otherThan(group));
  }

  /** Whether another company has: somebody with a token. */
  hasOtherCompany({ group }: Caller): boolean {
    return this.#isRecent(this.#companies.otherThan(group));
  }

  #isRecent(at: number): boolean {
    return at > this.#now() - rememberedFor;
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

const companiesKept = 10_000;
const second = 1_000;
/** From how many milliseconds of a second on a company uses much. */
const much = 300;
/** How much a company may do at the same time of which nothing is known yet. */
const mostUnknown = 3;
/** How many uses the mean looks back. */
const remembered = 10;

/** For how long each company has lately used something that callers share, such as the processor. */
export class RecentUse {
  readonly #uses = new LRUCache<string, Use>({ max: companiesKept });
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
  /** Which of all slots given was its last; 0 before the first. */
  served: number;
  waiting: Item[];
}

/** The same of all callers of one company. */
interface Group<Item> {
  held: number;
  served: number;
  waiting: number;
  /** Since when something has been waiting without a break. */
  queuedSince: number | undefined;
  shares: Map<string, Share<Item>>;
}

/** What all callers hold, and what of theirs waits. Those that neither hold nor wait for anything are forgotten. */
class ShareGroups<Item extends { since: number }> {
  readonly #groups = new Map<string, Group<Item>>();
  #taken = 0;
  #given = 0;
  #waiting = 0;
  #waitingGroups = 0;

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get waitingGroups(): number {
    return this.#waitingGroups;
  }

  get all(): ReadonlyMap<string, Group<Item>> {
    return this.#groups;
  }

  /** The company of a caller, and its share in that. */
  of(caller: Caller): [Group<Item>, Share<Item>] {
    const group = this.#groups.get(caller.group) ?? {
      held: 0,
      served: 0,
      waiting: 0,
      queuedSince: undefined,
      shares: new Map<string, Share<Item>>(),
    };
    const share = group.shares.get(caller.id) ?? { caller, held: 0, served: 0, waiting: [] };
    this.#groups.set(caller.group, group);
    group.shares.set(caller.id, share);
    return [group, share];
  }

  give(group: Group<Item>, share: Share<Item>): void {
    this.#taken += 1;
    group.held += 1;
    share.held += 1;
    this.#given += 1;
    group.served = this.#given;
    share.served = this.#given;
  }

  takeBack(group: Group<Item>, share: Share<Item>): void {
    this.#taken -= 1;
    group.held -= 1;
    share.held -= 1;
    this.forgetIdle(group, share);
  }

  enqueue(group: Group<Item>, share: Share<Item>, item: Item): void {
    share.waiting.push(item);
    this.#waiting += 1;
    group.waiting += 1;
    if (group.waiting > 1) return;
    group.queuedSince = item.since;
    this.#waitingGroups += 1;
  }

  /** So many of the share's items do not wait any more. */
  noteRemoved(group: Group<Item>, share: Share<Item>, count: number): void {
    this.#waiting -= count;
    group.waiting -= count;
    if (group.waiting === 0) {
      group.queuedSince = undefined;
      this.#waitingGroups -= 1;
    }
    this.forgetIdle(group, share);
  }

  forgetIdle(group: Group<Item>, { caller, held, waiting }: Share<Item>): void {
    if (held === 0 && waiting.length === 0) group.shares.delete(caller.id);
    if (group.shares.size === 0) this.#groups.delete(caller.group);
  }
}

/** Something that waits for a slot. */
interface Waiting {
  /** When it came, in milliseconds. */
  since: number;
}

interface Removed<Item> {
  item: Item;
  /** Whether its caller holds its part of the slots: then it waits because of its own others. */
  hasPart: boolean;
}

/**
 * Slots that callers share. A free slot goes to the company that holds fewest, and in it to the token that holds
 * fewest, in turn where they are equal. Whoever is alone may hold all slots. As slots cannot be taken back, nobody may
 * hold more than are free for a while after somebody else has held one: half of them if nobody else does, and a third of
 * them if one other does, so that the next one who comes finds a free slot.
 */
export class Shares<Item extends Waiting> {
  readonly #slots: number;
  readonly #mostOf: (group: string) => number;
  readonly #groups = new ShareGroups<Item>();
  readonly #recent: RecentCallers;

  /** `mostOf` is how many slots a company may hold while other companies ask, because of what it uses. */
  constructor(slots: number, now = () => performance.now(), mostOf = (_group: string) => Number.POSITIVE_INFINITY) {
    this.#slots = slots;
    this.#recent = new RecentCallers(now);
    this.#mostOf = mostOf;
  }

  get taken(): number {
    return this.#groups.taken;
  }

  get waiting(): number {
    return this.#groups.waiting;
  }

  /** How many companies wait. */
  get waitingGroups(): number {
    return this.#groups.waitingGroups;
  }

  /** Whether only one company has a slot or waits for one. */
  get isOneGroup(): boolean {
    return this.#groups.all.size <= 1;
  }

  /** Takes a slot. Returns false if there is none for this caller now. */
  take(caller: Caller): boolean {
    const [group, share] = this.#groups.of(caller);
    if (share.waiting.length > 0 || !this.#mayTake(group, share)) {
      this.#groups.forgetIdle(group, share);
      return false;
    }
    this.#groups.give(group, share);
    return true;
  }

  wait(caller: Caller, item: Item): void {
    this.#groups.enqueue(...this.#groups.of(caller), item);
  }

  /** Gives a slot back. `known` is who the caller has turned out to be meanwhile. */
  leave(caller: Caller, known = caller): void {
    this.#recent.note(known);
    this.#groups.takeBack(...this.#groups.of(caller));
  }

  /** Gives a free slot to whoever is next. Returns undefined if nobody waits who may have one. */
  next(): Item | undefined {
    const group = leastHeld(this.#groups.all.values(), (each) => [...each.shares.values()].some(this.#isNextIn(each)));
    const share = group && leastHeld(group.shares.values(), this.#isNextIn(group));
    if (!group || !share) return undefined;
    // Of many the newest, so that what is served has hardly waited.
    const item = share.waiting.length > this.#slots ? share.waiting.pop() : share.waiting.shift();
    this.#groups.give(group, share);
    this.#groups.noteRemoved(group, share, 1);
    return item;
  }

  /** Removes what came before the moment that holds for its company. */
  removeOlder(momentOf: (queuedSince: number) => number): Removed<Item>[] {
    const removed: Removed<Item>[] = [];
    for (const group of this.#groups.all.values()) {
      if (group.queuedSince === undefined) continue;
      const moment = momentOf(group.queuedSince);
      for (const share of group.shares.values()) {
        const kept = share.waiting.findIndex(({ since }) => since > moment);
        const old = share.waiting.splice(0, kept < 0 ? share.waiting.length : kept);
        if (old.length === 0) continue;
        const hasPart = this.#hasPart(group, share);
        removed.push(...old.map((item) => ({ item, hasPart })));
        this.#groups.noteRemoved(group, share, old.length);
      }
    }
    return removed;
  }

  /** Removes the oldest of the caller for whom most wait. */
  removeFromLongest(): Removed<Item> | undefined {
    const group = mostOf(this.#groups.all.values(), ({ waiting }) => waiting);
    const share = group && mostOf(group.shares.values(), ({ waiting }) => waiting.length);
    const item = share?.waiting.shift();
    if (!group || !share || !item) return undefined;
    const hasPart = this.#hasPart(group, share);
    this.#groups.noteRemoved(group, share, 1);
    return { item, hasPart };
  }

  /** Whether a company holds all that it may because of what it uses, while other companies ask. */
  isLimited(caller: Caller): boolean {
    const { held = 0 } = this.#groups.all.get(caller.group) ?? {};
    return this.#recent.hasOtherCompany(caller) && held >= this.#mostOf(caller.group);
  }

  readonly #isNextIn = (group: Group<Item>) => (share: Share<Item>) =>
    share.waiting.length > 0 && this.#mayTake(group, share);

  #mayTake(group: Group<Item>, { caller, held }: Share<Item>): boolean {
    const free = this.#slots - this.taken;
    if (free <= 0 || this.isLimited(caller)) return false;
    return (
      (held < free || !this.#recent.hasOtherThan(caller)) && (group.held < free || !this.#recent.hasOutside(caller))
    );
  }

  #hasPart({ shares }: Group<Item>, { caller, held }: Share<Item>): boolean {
    if (this.isLimited(caller)) return true;
    return held >= Math.max(1, Math.floor(this.#slots / this.#groups.all.size / shares.size));
  }
}
