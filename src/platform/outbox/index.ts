export { OpenAddresses, urlProblem } from './addresses.js';
export { purgeAttempts } from './complete.js';
export { openWebhooks, webhookFigures } from './deliverer.js';
export type { CountAttempt } from './delivery.js';
export { openEvents } from './dispatcher.js';
export { EventStream } from './eventStream.js';
export { isSecret, secretOf, webhookHeaders } from './signature.js';
export type { EventSource, WantedEvents } from './source.js';
export { Streams } from './streams.js';
