import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { Caller } from '../../database/query/caller.js';
import { overloaded, tooManyOfOne } from '../../errors/failures.js';
import type { ReadBody } from '../../http/route.js';
import { usedPerCounted } from '../../telemetry/processorTime.js';
import type { RequestRecord } from '../../telemetry/requestRecord.js';
import type { Decision } from './admission.js';
import type { Overload } from './overload.js';

/** The slot of one request that was admitted. A client that sends its body slowly holds no slot meanwhile. */
export class Slot {
  readonly #overload: Overload;
  readonly #record: RequestRecord;
  readonly #callerNow: () => Caller | undefined;
  #held: { caller: Caller | undefined; since: number; processor: number } | undefined;
  #hasEnded = false;

  /** `callerNow` is who sent the request, as far as that is known by then. */
  constructor(overload: Overload, record: RequestRecord, callerNow: () => Caller | undefined) {
    this.#overload = overload;
    this.#record = record;
    this.#callerNow = callerNow;
  }

  /** Waits for a slot, in the queue of its caller. Returns how the request fails that gets none. */
  enter(): GraphQLError | undefined | Promise<GraphQLError | undefined> {
    const caller = this.#callerNow();
    const decision = this.#overload.admission.enter(caller);
    return decision === 'admitted' ? this.#take(caller) : decision.then((made) => this.#follow(made, caller));
  }

  /**
   * Reads the body. Throws SERVICE_UNAVAILABLE or RATE_LIMITED if the body took its time, and there is no memory for it,
   * or no slot when it has come, or its client has left.
   */
  async whileReceiving<T>(req: IncomingMessage, read: ReadBody<T>): Promise<T> {
    if (req.complete) return read();
    this.#giveBack();
    const { take, close } = this.#overload.bodies.open();
    try {
      const body = await read((bytes) => take(bytes) || this.#refuse());
      const failure = await this.enter();
      if (failure) throw failure;
      // The request may have been answered meanwhile: nobody would give the slot back.
      if (this.#hasEnded) this.#giveBack();
      if (req.socket.destroyed) throw overloaded();
      return body;
    } finally {
      close();
    }
  }

  /** Called once, when the request is answered. */
  leave(): void {
    this.#hasEnded = true;
    this.#giveBack();
  }

  #follow(decision: Decision, caller: Caller | undefined): ReturnType<Slot['enter']> {
    if (decision === 'admitted') {
      // It may have waited with many others whose token was not known yet, and is now.
      if (this.#callerNow()?.group === caller?.group) return this.#take(caller);
      this.#overload.admission.leave(caller);
      return this.enter();
    }
    this.#refuse();
    return decision === 'overloaded' ? overloaded() : tooManyOfOne();
  }

  #take(caller: Caller | undefined): undefined {
    const { processorTime } = this.#record;
    this.#held = { caller, since: performance.now(), processor: processorTime.milliseconds };
    processorTime.admit(true);
  }

  #refuse(): false {
    this.#overload.countRefusal(this.#record);
    return false;
  }

  #giveBack(): void {
    if (!this.#held) return;
    const { caller, since, processor } = this.#held;
    const { processorTime } = this.#record;
    this.#held = undefined;
    processorTime.admit(false);
    const used = (processorTime.milliseconds - processor) * usedPerCounted();
    this.#overload.admission.leave(caller, performance.now() - since, this.#callerNow(), used);
  }
}
