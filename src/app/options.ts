import type { Logger } from 'pino';
import type { WebhookRules } from '../context.js';
import type { Database } from '../database/query/client.js';
import type { Replicas } from '../database/servers/replicas/replicas.js';
import type { Streams } from '../events/streams/streams.js';
import type { PersistedDocuments } from '../graphql/persistedDocuments.js';
import type { QueryLimits } from '../graphql/queryLimits.js';
import type { RateLimiters } from '../http/limits/rateLimiters.js';
import type { DemoKey } from '../pages/demoKey.js';

export interface AppOptions {
  db: Database;
  /** Standbys of the database that may answer queries. */
  replicas?: Replicas | undefined;
  logger: Logger;
  clock?: () => Date;
  appUrl: string;
  /** Address of this server as its callers see it, for absolute links. If omitted, links are relative. */
  publicUrl?: string | undefined;
  /** Largest request body, in bytes. */
  bodyLimit?: number;
  /** Seconds for which the outcome of a request with an Idempotency-Key is kept. */
  idempotencySeconds?: number;
  /** How long a request may wait for the database in all, in milliseconds. */
  databaseTimeout?: number;
  /** Whether /graphql serves GraphiQL to browsers. */
  graphiql?: boolean;
  /** A demo workspace: its tokens, and the key with which the pages show them to browsers on this machine. */
  demo?: { token: string; readOnlyToken?: string; key?: DemoKey | undefined } | undefined;
  /** Aborted when this server stops, for its readiness. */
  stopping?: AbortSignal;
  /** If omitted, no request is counted. */
  rateLimiters?: RateLimiters;
  /** Number of proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  trustedProxies?: number;
  /** The most characters in the response to a GraphQL request. */
  responseCharacters?: number;
  /** The most bytes of all long outcomes that are kept for the keys of a token. */
  longOutcomeBytes?: number;
  /** Replaces the defaults of some or all query limits. */
  queryLimits?: Partial<QueryLimits>;
  /** Origins whose web pages may call the API. */
  corsOrigins?: readonly string[];
  /** GraphQL documents that clients may run by identifier. */
  persisted?: PersistedDocuments | undefined;
  /** Called with the company after a mutation has been committed there. */
  onChange?: (companyId: string) => void;
  /** The open subscriptions. */
  streams: Streams;
  /** If omitted, no webhook can be made. */
  webhooks?: WebhookRules;
}
