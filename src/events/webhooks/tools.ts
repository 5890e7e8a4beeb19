import type { Logger } from 'pino';
import type { Turns } from '../../turns.js';
import type { DeliveryStatements } from './deliveryStatements.js';
import type { Attempt } from './record.js';
import type { Sender } from './sending/sender.js';

/** What counts deliveries. `seconds` is the time from recording an event to its acknowledgement, where it has one. */
export type CountAttempt = (outcome: Attempt['outcome'], seconds: number | undefined) => void;

/** What every delivery of a process uses. */
export interface Tools {
  statements: DeliveryStatements;
  sender: Sender;
  /** Of all requests of the process. */
  turns: Turns;
  /** WEBHOOK_KEY: the new one first. */
  keys: readonly string[];
  logger: Logger;
  count: CountAttempt;
  /** No request begins any more. */
  stopping: AbortSignal;
  /** Those that run are given up. */
  stopped: AbortSignal;
}
