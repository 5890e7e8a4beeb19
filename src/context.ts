import type { Transaction } from './database.js';
import type { NamedFields } from './platform/failures/index.js';
import type { Beforehand } from './platform/graphql/index.js';
import type { Streams } from './platform/outbox/index.js';
import type { TextWorker } from './platform/texts/index.js';
import type { Actor } from './policies/access.js';

/** What the gateway allows webhooks. */
export interface WebhookRules {
  /** The keys of their secrets, the new one first; none if nothing is sent. */
  keys: readonly string[];
  /** Ranges of addresses that are open besides public ones. */
  allow: readonly string[];
  /** The addresses of the gateway itself. */
  own: readonly string[];
}

/** What a resolver may use. Each operation gets a new one. */
export interface Context extends NamedFields {
  /** The database; for a request with an Idempotency-Key, the transaction of the whole operation. */
  db: Transaction;
  actor: Actor;
  /** Where the caller uses the token; null if the gateway itself asks. */
  surface: 'rest' | 'graphql' | 'mcp' | null;
  now: Date;
  /** Address of the web application, for links to documents. */
  appUrl: string;
  webhooks: WebhookRules;
  streams: Streams;
  texts: TextWorker;
  /** Notes what a statement has changed: the activity that it recorded, or null. Without it the response may fail as if nothing were. */
  noteChange?: (activityId: string | null) => void;
  /** Does what takes long once for each key, and before the transaction if there is one. */
  beforehand: Beforehand;
  /** Where a stream was left that is opened again. */
  lastEventId: string | null;
  /** What its resolvers share, by what makes that. */
  shared: Map<unknown, unknown>;
}
