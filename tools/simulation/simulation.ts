import { mock } from 'node:test';
import { Admission, RefusalPace } from '../../src/platform/fairness/admission.js';
import { parameters } from '../../src/platform/fairness/parameters.js';
import { type Caller, FairQueue, RecentUse } from '../../src/platform/fairness/shares.js';
import { DeliveryTurns, LongResponses } from '../../src/platform/fairness/turns.js';

// The scheduler of src/platform/fairness alone, in virtual time: a gateway is one processor that runs pieces of work in
// turn, PostgreSQL one that its statements share. Seconds of an attack take milliseconds, and nothing depends on the machine.

/** What one request needs, in milliseconds. */
interface Work {
  /** Pieces of the gateway's processor; it yields between them. */
  pieces: number[];
  /** PostgreSQL's time of each statement, one after the other. */
  statements: number[];
}

/** Clients that do the same: each sends a request, waits for its response, pauses, and sends the next. */
export interface Load {
  clients: number;
  /** The company of each client, and its token. */
  caller: (client: number) => Caller;
  work: Work;
  /** Milliseconds between a response and the next request. */
  pause: number;
  /** `request`, `long response` (built one at a time), `refusal` (over its rate limit: no seat, a response that is paced) or `delivery` (a webhook's). */
  kind?: 'request' | 'long response' | 'refusal' | 'delivery';
}

export interface Seen {
  /** The same in the second in which the attack begins, and the scheduler learns what it needs. */
  first: number[];
  /** How long each request took after that, in the order of their ends. */
  milliseconds: number[];
  refused: number;
}

/** What a request takes besides: sockets, the process of its client. */
const elsewhere = 4;
const seats = 64;
const connections = 10;
/** Requests to endpoints that one process sends at once. */
const deliverySeats = 1_000;

/** Virtual time, and what happens when. */
class Clock {
  now = 0;
  readonly #events: { at: number; order: number; run: () => void }[] = [];
  #order = 0;

  at(at: number, run: () => void): void {
    this.#order += 1;
    const event = { at, order: this.#order, run };
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#events[middle];
      if (other && (other.at < at || (other.at === at && other.order < event.order))) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  async runUntil(end: number): Promise<void> {
    while (this.now < end) {
      // Timers of the scheduler are due in between.
      const next = Math.min(this.#events[0]?.at ?? end, Math.floor(this.now / step + 1) * step, end);
      const passed = next - this.now;
      this.now = next;
      if (next % step === 0) mock.timers.tick(step);
      else if (passed > 0) await settled();
      while (this.#events[0] && this.#events[0].at <= this.now) this.#events.shift()?.run();
      await settled();
    }
  }
}

const step = 1;

/** What was resolved has gone on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** One processor. Pieces run one after the other. */
class Processor {
  readonly #clock: Clock;
  #freeAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  run(milliseconds: number, then: () => void): void {
    this.#freeAt = Math.max(this.#freeAt, this.#clock.now) + milliseconds;
    this.#clock.at(this.#freeAt, then);
  }
}

/** One processor that all running statements share alike. */
class Database {
  readonly #clock: Clock;
  readonly #running = new Map<symbol, { left: number; then: () => void }>();
  #since = 0;
  #turn = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  run(milliseconds: number, then: () => void): void {
    this.#advance();
    this.#running.set(Symbol(), { left: milliseconds, then });
    this.#schedule();
  }

  #advance(): void {
    const done = (this.#clock.now - this.#since) / Math.max(1, this.#running.size);
    for (const statement of this.#running.values()) statement.left -= done;
    this.#since = this.#clock.now;
  }

  #schedule(): void {
    this.#turn += 1;
    const turn = this.#turn;
    const left = Math.min(...[...this.#running.values()].map((statement) => statement.left));
    if (!Number.isFinite(left)) return;
    this.#clock.at(this.#clock.now + Math.max(0, left) * this.#running.size, () => {
      if (turn !== this.#turn) return;
      this.#advance();
      const ended = [...this.#running].filter(([, statement]) => statement.left < 1e-6);
      for (const [id] of ended) this.#running.delete(id);
      for (const [, { then }] of ended) then();
      this.#schedule();
    });
  }
}

interface Waiting {
  since: number;
  start: () => void;
}

/** A gateway with the scheduler, or without: then all wait in one queue. */
class Gateway {
  readonly #clock: Clock;
  readonly #isFair: boolean;
  readonly #processor: Processor;
  readonly #database: Database;
  readonly #admission: Admission;
  readonly #pace = new RefusalPace();
  readonly #use: RecentUse;
  readonly #connections: FairQueue<Waiting>;
  readonly #deliveries: DeliveryTurns;
  readonly #long = new LongResponses();

  constructor(clock: Clock, isFair: boolean) {
    const now = () => clock.now;
    this.#clock = clock;
    this.#isFair = isFair;
    this.#processor = new Processor(clock);
    this.#database = new Database(clock);
    this.#admission = new Admission(seats, now);
    this.#use = new RecentUse(parameters.connections.together, now);
    const mostOf = (flow: string) => Math.max(1, this.#use.mostAtOnce(flow));
    this.#connections = new FairQueue({ seats: connections, now, ...(isFair && { mostOf }) });
    const isShared = (companyId: string) => this.#admission.hasOthers(companyId);
    this.#deliveries = new DeliveryTurns({ seats: deliverySeats, now, isShared });
  }

  /** `done` gets whether it was served. */
  send({ kind = 'request', work }: Load, caller: Caller, done: (isServed: boolean) => void): void {
    const run = {
      request: this.#request,
      'long response': this.#request,
      refusal: this.#refusal,
      delivery: this.#delivery,
    }[kind];
    const needed = { ...work, isLong: kind === 'long response' };
    run(needed, this.#isFair ? caller : everybody, done);
  }

  readonly #request = (work: Work & { isLong: boolean }, caller: Caller, done: (isServed: boolean) => void): void => {
    const enter = async () => {
      if ((await this.#admission.enter(caller)) !== 'admitted') return done(false);
      const since = this.#clock.now;
      const used = work.pieces.reduce((sum, piece) => sum + piece, 0);
      await new Promise<void>((loaded) => this.#runStatements(work.statements, caller, loaded));
      const build = () => new Promise<void>((built) => this.#runPieces(work.pieces, built));
      if (!work.isLong || !this.#isFair) await build();
      else await this.#long.build(caller, (becomeLong) => becomeLong().then(build));
      this.#admission.leave(caller, this.#clock.now - since, caller, this.#isFair ? used : 0);
      done(true);
    };
    void enter();
  };

  /** Costs what it costs to find out, and comes later from a caller that has many. */
  readonly #refusal = (work: Work, caller: Caller, done: (isServed: boolean) => void): void => {
    this.#runPieces(work.pieces, () => {
      const paused = this.#isFair ? this.#pace.pause(caller.id) : undefined;
      if (paused === undefined || paused === 'too many') done(false);
      else void paused.then(() => done(false));
    });
  };

  readonly #delivery = (work: Work, caller: Caller, done: (isServed: boolean) => void): void => {
    const used = work.pieces.reduce((sum, piece) => sum + piece, 0);
    const run = (charge: (milliseconds: number) => void = () => {}) =>
      new Promise<void>((resolve) =>
        this.#runPieces(work.pieces, () => {
          charge(used);
          resolve();
        }),
      );
    void (this.#isFair ? this.#deliveries.take(caller.flow, run) : run()).then(() => done(true));
  };

  #runPieces([piece, ...others]: number[], then: () => void): void {
    if (piece === undefined) then();
    else this.#processor.run(piece, () => this.#runPieces(others, then));
  }

  #runStatements([statement, ...others]: number[], caller: Caller, then: () => void): void {
    if (statement === undefined) {
      then();
      return;
    }
    const start = () => {
      const since = this.#clock.now;
      this.#database.run(statement, () => {
        this.#use.add(caller.flow, this.#clock.now - since);
        this.#connections.leave(caller);
        this.#startNext();
        this.#runStatements(others, caller, then);
      });
    };
    if (this.#connections.take(caller)) {
      start();
      return;
    }
    this.#connections.wait(caller, { since: this.#clock.now, start });
    this.#startNext();
  }

  #startNext(): void {
    for (let next = this.#connections.next(); next; next = this.#connections.next()) next.start();
  }
}

const everybody: Caller = { id: 'everybody', flow: 'everybody' };

/** When the loads after the first one begin. */
const begins = 1_000;
const learning = 1_000;

/** Runs the loads for so many virtual milliseconds, the first one alone for a second; what each saw. */
export async function simulate(loads: readonly Load[], milliseconds: number, isFair = true): Promise<Seen[]> {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const clock = new Clock();
    const gateway = new Gateway(clock, isFair);
    const seen = loads.map((load, index) => start(clock, gateway, load, index === 0 ? 0 : begins));
    await clock.runUntil(milliseconds);
    return seen;
  } finally {
    mock.timers.reset();
  }
}

function start(clock: Clock, gateway: Gateway, load: Load, from: number): Seen {
  const seen: Seen = { first: [], milliseconds: [], refused: 0 };
  const send = (client: number) => {
    const since = clock.now;
    gateway.send(load, load.caller(client), (isServed) => {
      const list = since < begins ? [] : since < begins + learning ? seen.first : seen.milliseconds;
      if (isServed) list.push(clock.now - since + elsewhere);
      else seen.refused += 1;
      clock.at(clock.now + load.pause, () => send(client));
    });
  };
  for (let client = 0; client < load.clients; client += 1) {
    // A little apart, as clients are.
    clock.at(from + ((client * 7) % 50), () => send(client));
  }
  return seen;
}

/** The value below which this part of all are; infinite if there is none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.POSITIVE_INFINITY;
}
