import type { Logger } from 'pino';
import type { RequestRecord } from '../../telemetry/requestRecord.js';
import { Admission } from './admission.js';
import { BodyMemory } from './bodyMemory.js';
import { RefusalPace } from './refusalPace.js';

const logMilliseconds = 1000;
/** Memory for the bodies that are being received, unless a few of the largest need more. */
export const leastBodyBytes = 64 * 1024 ** 2;
/** Served whatever the load is, because a balancer or supervisor asks. */
const alwaysAdmitted = new Set(['/healthz', '/readyz']);

/** Admits requests, and logs how many it refuses once a second: a line for each would itself be load. */
export class Overload {
  readonly admission: Admission;
  readonly bodies: BodyMemory;
  readonly pace = new RefusalPace();
  readonly #logger: Logger;
  #refused = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `bodyBytes` is the most memory for the bodies that are being received. */
  constructor(maxRequests: number, logger: Logger, bodyBytes = leastBodyBytes) {
    this.admission = new Admission(maxRequests);
    this.bodies = new BodyMemory(bodyBytes);
    this.#logger = logger;
  }

  isExempt(target: string): boolean {
    return alwaysAdmitted.has(target.replace(/\?.*/s, ''));
  }

  /** The request has no line of its own in the log. */
  countRefusal(record: RequestRecord): void {
    record.isLogged = false;
    this.#refused += 1;
    this.#reportSoon();
  }

  /** Counts a connection that was closed because too many were open. */
  countDrop(): void {
    this.#dropped += 1;
    this.#reportSoon();
  }

  #reportSoon(): void {
    this.#timer ??= setTimeout(() => this.#report(), logMilliseconds).unref();
  }

  #report(): void {
    const { inProgress, waiting } = this.admission;
    this.#logger.warn({ refused: this.#refused, dropped: this.#dropped, inProgress, waiting }, 'overloaded');
    this.#refused = 0;
    this.#dropped = 0;
    this.#timer = undefined;
  }
}
