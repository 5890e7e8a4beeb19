import type { IncomingMessage } from 'node:http';
import { failure } from '../../errors/failures.js';
import type { ReadBody } from '../route.js';
import type { Admission } from './admission.js';
import type { BodyMemory } from './bodyMemory.js';

/** The place of one request that was admitted. A client that sends its body slowly holds no place meanwhile. */
export class Admitted {
  readonly #admission: Admission;
  readonly #bodies: BodyMemory;
  #since: number | undefined = performance.now();
  #hasEnded = false;

  constructor({ admission, bodies }: { admission: Admission; bodies: BodyMemory }) {
    this.#admission = admission;
    this.#bodies = bodies;
  }

  /**
   * Reads the body. Throws SERVICE_UNAVAILABLE if the body took its time, and there is no memory for it, or no place when
   * it has come.
   */
  async whileReceiving<T>(req: IncomingMessage, read: ReadBody<T>): Promise<T> {
    if (req.complete) return read();
    this.#giveBack();
    const { take, close } = this.#bodies.open();
    try {
      const body = await read(take);
      if (!(await this.#admission.enter())) throw failure('SERVICE_UNAVAILABLE', { overloaded: true });
      this.#since = performance.now();
      // The request may have been answered meanwhile: nobody would give the place back.
      if (this.#hasEnded) this.#giveBack();
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

  #giveBack(): void {
    if (this.#since !== undefined) this.#admission.leave(performance.now() - this.#since);
    this.#since = undefined;
  }
}
