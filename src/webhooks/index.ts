import './mutations.js';

export { OpenAddresses, urlProblem } from './addresses.js';
export { openWebhooks } from './deliverer.js';
export type { CountAttempt } from './delivery.js';
export { webhookScope } from './mutations.js';
export { disableWebhook, disableWebhooksOf, listWebhooks, purgeAttempts, webhookFigures } from './operators.js';
export { isSecret, secretOf, webhookHeaders } from './signature.js';
