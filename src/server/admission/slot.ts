import type { IncomingMessage } from 'node:http';
import { overloaded } from '../../errors/failures.js';
import type { ReadBody } from '../../http/route.js';
import type { RequestRecord } from '../../telemetry/requestRecord.js';
import type { Overload } from './overload.js';

/** The place of one request that was admitted. A client that sends its body slowly holds no place meanwhile. */
export class Slot {
  readonly #overload: Overload;
  readonly #record: RequestRecord;
  #since: number | undefined = performance.now();
  #hasEnded = false;

  constructor(overload: Overload, record: RequestRecord) {
    this.#overload = overload;
    this.#record = record;
  }

  /**
   * Reads the body. Throws SERVICE_UNAVAILABLE if the body took its time, and there is no memory for it, or no place when
   * it has come.
   */
  async whileReceiving<T>(req: IncomingMessage, read: ReadBody<T>): Promise<T> {
    if (req.complete) return read();
    this.#giveBack();
    const { take, close } = this.#overload.bodies.open();
    try {
      const body = await read((bytes) => take(bytes) || this.#refuse());
      if (!(await this.#overload.admission.enter())) {
        this.#refuse();
        throw overloaded();
      }
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

  #refuse(): false {
    this.#overload.countRefusal(this.#record);
    return false;
  }

  #giveBack(): void {
    if (this.#since !== undefined) this.#overload.admission.leave(performance.now() - this.#since);
    this.#since = undefined;
  }
}
