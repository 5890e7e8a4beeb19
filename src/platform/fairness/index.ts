export {
  /** Admits requests, and logs how many it refuses once a second: a line for each would itself be load. */
  Overload,
  /** The failure of a request for which there is no seat, or no memory for its body. */
  overloaded,
  /** The seat of one request that was admitted. */
  Seat,
  /** The failure of a request that gets no seat because of its caller's other requests. */
  tooManyOfOne,
} from './admission.js';
export {
  /** Every number of fairness. */
  parameters,
} from './parameters.js';
export type { Caller } from './shares.js';
export {
  /** Seats that callers share. */
  FairQueue,
  /** The item with the highest count; the first of those where they are equal. */
  mostOf,
  /** The gateway itself, such as its health checks. */
  nobody,
  /** For how long each company has lately used something that callers share, such as the processor. */
  RecentUse,
} from './shares.js';
export {
  /** The turns of requests to webhooks, which companies share. */
  DeliveryTurns,
  /** A process builds one long response at a time: together they would take more memory than there is, and keep everybody else waiting. */
  LongResponses,
} from './turns.js';
