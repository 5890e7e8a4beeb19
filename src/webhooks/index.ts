import './mutations.js';

export { openWebhooks } from './deliverer.js';
export { disableWebhook, disableWebhooksOf, listWebhooks, purgeAttempts, webhookFigures } from './operators.js';
export { isSecret, webhookHeaders } from './signature.js';
