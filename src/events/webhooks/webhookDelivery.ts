import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from '../../turns.js';
import { Endpoint } from './endpoint.js';
import type { Lane } from './lane.js';
import { type NewLease, release } from './lease.js';
import { lateProgressOf, type Moves, progressOf } from './progressOf.js';
import { record } from './record.js';
import { reportRound } from './reportRound.js';
import { Round } from './round.js';
import { manyBehind, take } from './take.js';
import type { Tools } from './tools.js';

/** Requests to one webhook at once. */
const mostAtOnce = 8;
/** How often to look for new events while a slow request runs, in milliseconds. */
const lookEvery = 500;

/** The lease was lost: others deliver now, or an owner has moved the position. */
class LeaseLost extends Error {}

/** What the holder of a lease does: rounds of taking, sending and recording. */
export class WebhookDelivery {
  readonly #lease: NewLease;
  readonly #tools: Tools;
  readonly #endpoint: Endpoint;
  readonly #turns = new Turns(mostAtOnce);
  readonly #given = new AbortController();
  /** Lanes that were put aside because their request is slow. */
  readonly #late = new Set<Lane>();
  #position = 0;

  constructor(lease: NewLease, tools: Tools) {
    this.#lease = lease;
    setMaxListeners(0, this.#given.signal);
    const abort = () => this.#given.abort();
    tools.stopped.addEventListener('abort', abort, { once: true });
    this.#given.signal.addEventListener('abort', () => tools.stopped.removeEventListener('abort', abort), {
      once: true,
    });
    this.#tools = { ...tools, stopped: this.#given.signal };
    this.#endpoint = new Endpoint(lease.failures);
  }

  /** Delivers until nothing is left, the endpoint has to wait, or the process stops. Returns whether there is more to do. */
  async run(): Promise<boolean> {
    try {
      while (await this.#round());
      await this.#finishLate();
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      this.#given.abort();
    }
    return this.#tools.statements.run(this.#lease.companyId, (db) => release(db, this.#lease));
  }

  /** Returns whether to go on. */
  async #round(): Promise<boolean> {
    const { statements, stopping } = this.#tools;
    const { companyId } = this.#lease;
    const start = performance.now();
    const taken = await statements.run(companyId, (db) => take(db, this.#lease, this.#endpoint));
    if (!taken) throw new LeaseLost();
    this.#endpoint.begin(taken);
    this.#position = taken.position;
    const isProbe = this.#endpoint.isWaiting;
    const round = new Round(this.#lease, taken, { tools: this.#tools, endpoint: this.#endpoint, turns: this.#turns });
    await round.run();
    const moves = progressOf(taken, round.lanes, isProbe);
    const hasMoved = moves.position !== taken.position || round.lanes.length > 0 || moves.done.length > 0;
    if (hasMoved) await this.#record(moves, start);
    for (const lane of round.lanes) if (lane.isPutAside) this.#late.add(lane);
    await this.#recordLate();
    if (this.#endpoint.isClosed || isProbe || stopping.aborted) return false;
    if (taken.reach - taken.position >= manyBehind) return true;
    if (this.#late.size === 0) return false;
    await Promise.race([sleep(lookEvery), ...[...this.#late].map(({ ended }) => ended)]);
    return true;
  }

  /** The lease needs no renewal meanwhile: a request ends before it does. */
  async #finishLate(): Promise<void> {
    if (this.#late.size === 0) return;
    await Promise.all([...this.#late].map(({ ended }) => ended));
    await this.#recordLate();
  }

  async #recordLate(): Promise<void> {
    const ended = [...this.#late].filter(({ current }) => current !== 'running');
    if (ended.length === 0) return;
    for (const lane of ended) this.#late.delete(lane);
    await this.#record(lateProgressOf(ended, this.#position), performance.now());
  }

  async #record(moves: Moves, start: number): Promise<void> {
    const { statements, logger } = this.#tools;
    const { waits } = this.#endpoint;
    const progress = { ...moves, ...this.#endpoint.take() };
    const isHeld = await statements.run(this.#lease.companyId, (db) => record(db, this.#lease, progress));
    if (!isHeld) throw new LeaseLost();
    this.#position = moves.position;
    reportRound(logger, this.#lease, progress, { waits, start });
  }
}
