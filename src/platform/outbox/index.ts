export {
  /** Which addresses webhooks may be sent to: public ones, and the ranges of WEBHOOK_ALLOW. */
  OpenAddresses,
  /** Why nothing can be sent to this URL, as far as can be known without asking for its addresses. */
  urlProblem,
} from './addresses.js';
export {
  /** Deletes the attempts of more than that many days ago, by the clock of the database. */
  purgeAttempts,
  /** Ends the pauses that are longer than any is made, company by company: the database's clock was set back, by as much as they are too long. */
  shortenBackoffs,
} from './complete.js';
export type { CountAttempt } from './deliverer.js';
export {
  /** Delivers to webhooks from now on, if there is a key. */
  openWebhooks,
  /** The figures of all webhooks for metrics. */
  WebhookFigures,
} from './deliverer.js';
export {
  /** Opens what numbers and delivers events while this process serves. */
  openEvents,
} from './dispatcher.js';
export {
  /** The events that one client gets. */
  EventStream,
} from './eventStream.js';
export {
  /** Whether a text is a secret of Standard Webhooks. */
  isSecret,
  /** The secret of a webhook under one key. */
  secretOf,
  /** The header `webhook-signature` of Standard Webhooks: a signature with each secret. */
  signatureOf,
} from './signature.js';
export type {
  /** What the product says of its events. */
  EventSource,
  WantedEvents,
} from './source.js';
export {
  /** The open streams of this process. */
  Streams,
} from './streams.js';
