/** Which addresses webhooks may be sent to: public ones, and the ranges of WEBHOOK_ALLOW. */
/** Why nothing can be sent to this URL, as far as can be known without asking for its addresses. */
export { OpenAddresses, urlProblem } from './addresses.js';
/**
 * Ends the pauses that are longer than any is made, company by company: the database's clock was set back, by as much as
 * they are too long.
 */
/** Deletes the attempts of more than that many days ago, by the clock of the database. Returns their number. */
export { endLongPauses, purgeAttempts } from './complete.js';
export type { CountAttempt } from './deliverer.js';
/** Delivers to webhooks from now on, if there is a key. Returns what stops that, in three seconds at most. */
export { openWebhooks } from './deliverer.js';
/** Opens what numbers and delivers events while this process serves. It connects when it is started. */
export { openEvents } from './dispatcher.js';
/** The events that one client gets. It holds none: each is read when the client has taken the one before. */
export { EventStream } from './eventStream.js';
export type { SweepPart } from './sequence.js';
/** The secret of a webhook under one key. It is stored nowhere: it can be derived again. */
/** The header `webhook-signature` of Standard Webhooks: a signature with each secret. */
export { secretOf, signatureOf } from './signature.js';
/** The open streams of this process. */
export { Streams } from './streams.js';
