export { clientOf, PrimaryLocator, readServerUrls, watch, withClient } from './primary.js';
export { reasonOf, SessionClient, withTimedClient } from './sessions.js';
export { DatabaseError, type Encryption, encryptionOf, tlsProblem } from './tls.js';
