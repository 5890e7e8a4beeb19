/** Who asks: a token and its company, or the address of a request without a token that is known, as both. */
export interface Caller {
  id: string;
  flow: string;
}

/** What became of somebody who has waited: refused because of what its flow holds, or because of all others. */
export type Decision = 'admitted' | 'too many of one' | 'overloaded';

interface Waiting {
  since: number;
  decide: (decision: Decision) => void;
}

/** The callers of a flow that wait, in turn, and what each of them waits with, the oldest first. */
type Flow = Map<string, Waiting[]>;

interface Options {
  seats: number;
  /** False if everybody waits for as long as it takes. */
  refuses?: boolean;
  now?: () => number;
}

/** For how long, in milliseconds, somebody who has asked counts as one who asks. */
const rememberedFor = 10_000;
/** How many milliseconds a request waits at most while no more flows wait than there are seats: each waits for its own. */
const patience = 15_000;
/** The same if more flows wait, or if nothing moves. */
const moment = 500;
/** Nothing moves if no seat has been given back for so many milliseconds: longer than one request may use the thread for texts. */
const standstill = 1_000;
const tick = 20;

/** What was there last, and what else was, with the time. */
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

/** How many seats each key holds. */
class Held {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, count: number): void {
    const sum = this.of(key) + count;
    if (sum > 0) this.#counts.set(key, sum);
    else this.#counts.delete(key);
  }
}

/**
 * Fair queueing for the seats of one process. A free seat goes to the flows (companies) in turn, and within a flow to its
 * callers (tokens) in turn. While others ask, no flow and no caller holds more than half of the seats.
 */
export class FairQueue {
  readonly #seats: number;
  readonly #half: number;
  readonly #places: number;
  readonly #refuses: boolean;
  readonly #now: () => number;
  readonly #held = { flows: new Held(), callers: new Held() };
  readonly #recent = { flows: new Latest(), callers: new Latest() };
  /** The flows that wait, in turn. */
  readonly #flows = new Map<string, Flow>();
  #taken = 0;
  #waiting = 0;
  /** Counted in turns of the timer: a process that has had no time itself is not stalled. */
  #stalledFor = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ seats, refuses = true, now = () => performance.now() }: Options) {
    this.#seats = seats;
    this.#half = Math.max(1, Math.floor(seats / 2));
    this.#places = Math.max(1_000, 50 * seats);
    this.#refuses = refuses;
    this.#now = now;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether other flows than that of this caller have asked lately. */
  isContended({ flow }: Caller): boolean {
    return this.#recent.flows.hasOther(flow, this.#now());
  }

  /** How many requests of the flow of this caller wait. */
  waitingOf({ flow }: Caller): number {
    return waitingIn(this.#flows.get(flow) ?? new Map());
  }

  /** Takes a seat, which is given back by {@link leave}, or waits for one. */
  enter(caller: Caller): 'admitted' | Promise<Decision> {
    if (!this.#flows.get(caller.flow)?.has(caller.id) && this.#mayTake(caller)) {
      this.#count(caller, 1);
      return 'admitted';
    }
    if (this.#refuses && this.#waiting >= this.#places) this.#refuseOldestOfMost();
    return new Promise((decide) => {
      const flow = this.#flows.get(caller.flow) ?? new Map<string, Waiting[]>();
      const waiting = flow.get(caller.id) ?? [];
      waiting.push({ since: this.#now(), decide });
      this.#flows.set(caller.flow, flow.set(caller.id, waiting));
      this.#waiting += 1;
      if (this.#refuses) this.#timer ??= setTimeout(() => this.#tick(), tick);
    });
  }

  /** Gives a seat back. `known` is who the caller has turned out to be meanwhile. */
  leave(caller: Caller, known = caller): void {
    this.#recent.flows.note(known.flow, this.#now());
    this.#recent.callers.note(known.id, this.#now());
    this.#count(caller, -1);
    this.#stalledFor = 0;
    this.#toEnd(caller, this.#flows.get(caller.flow)?.get(caller.id) ?? []);
    this.#admit();
  }

  /** Lets a seat count for who its caller has turned out to be. Returns false if they may not hold one more. */
  move(from: Caller, to: Caller): boolean {
    if (!this.#mayHold(to)) return false;
    this.#count(from, -1);
    this.#count(to, 1);
    this.#admit();
    return true;
  }

  #mayTake(caller: Caller): boolean {
    return this.#taken < this.#seats && this.#mayHold(caller);
  }

  #mayHold({ id, flow }: Caller): boolean {
    const { flows, callers } = this.#recent;
    const now = this.#now();
    return (
      (this.#held.flows.of(flow) < this.#half || !flows.hasOther(flow, now)) &&
      (this.#held.callers.of(id) < this.#half || !callers.hasOther(id, now))
    );
  }

  #count({ id, flow }: Caller, seats: number): void {
    this.#taken += seats;
    this.#held.flows.add(flow, seats);
    this.#held.callers.add(id, seats);
  }

  /** Gives free seats to those who wait. */
  #admit(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const { caller, waiting } = next;
      this.#count(caller, 1);
      // Of many the newest, so that what is served has hardly waited, and the others are refused.
      const [admitted] = waiting.splice(this.#refuses && waiting.length > this.#seats ? -1 : 0, 1);
      this.#endTurn(caller, waiting);
      admitted?.decide('admitted');
    }
  }

  /** Whose turn it is. */
  #next(): { caller: Caller; waiting: Waiting[] } | undefined {
    if (this.#taken >= this.#seats) return undefined;
    for (const [flow, callers] of this.#flows) {
      for (const [id, waiting] of callers) if (this.#mayTake({ id, flow })) return { caller: { id, flow }, waiting };
    }
    return undefined;
  }

  /** After one of those who wait has been decided on. */
  #endTurn(caller: Caller, rest: Waiting[]): void {
    this.#waiting -= 1;
    this.#toEnd(caller, rest);
  }

  /** The others of its flow, and of its caller, come before the rest: also those who have come while it had a seat. */
  #toEnd({ id, flow: key }: Caller, rest: Waiting[]): void {
    const flow = this.#flows.get(key);
    if (!flow) return;
    flow.delete(id);
    if (rest.length > 0) flow.set(id, rest);
    this.#flows.delete(key);
    if (flow.size > 0) this.#flows.set(key, flow);
  }

  #refuse(caller: Caller, waiting: Waiting[]): void {
    const isOwn = !this.#isStalled && this.#held.flows.of(caller.flow) >= this.#half;
    const refused = waiting.shift();
    this.#endTurn(caller, waiting);
    refused?.decide(isOwn ? 'too many of one' : 'overloaded');
  }

  /** Of the caller for whom most wait, in the flow for which most do. */
  #refuseOldestOfMost(): void {
    const [flow, callers] = most(this.#flows, waitingIn) ?? [];
    const [id, waiting] = (callers && most(callers, ({ length }) => length)) ?? [];
    if (flow !== undefined && id !== undefined && waiting) this.#refuse({ id, flow }, waiting);
  }

  get #isStalled(): boolean {
    return this.#stalledFor >= standstill;
  }

  /** Refuses who has waited too long, and looks whether somebody may hold more now that others do not ask any more. */
  #tick(): void {
    this.#timer = undefined;
    this.#stalledFor = this.#taken > 0 ? this.#stalledFor + tick : 0;
    this.#admit();
    const isCrowded = this.#isStalled || this.#flows.size > this.#seats;
    const latest = this.#now() - (isCrowded ? moment : patience);
    for (const [flow, callers] of [...this.#flows]) {
      for (const [id, waiting] of [...callers]) {
        while (waiting[0] && waiting[0].since <= latest) this.#refuse({ id, flow }, waiting);
      }
    }
    if (this.#waiting > 0) this.#timer = setTimeout(() => this.#tick(), tick);
  }
}

const waitingIn = (flow: Flow): number => [...flow.values()].reduce((sum, { length }) => sum + length, 0);

function most<Key, Value>(entries: Map<Key, Value>, sizeOf: (value: Value) => number): [Key, Value] | undefined {
  let found: [Key, Value] | undefined;
  for (const entry of entries) if (!found || sizeOf(entry[1]) > sizeOf(found[1])) found = entry;
  return found;
}
