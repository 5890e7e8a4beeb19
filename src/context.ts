import { LRUCache } from 'lru-cache';
import { failure, type NamedFields } from './platform/failures/index.js';
import type { Streams } from './platform/outbox/index.js';
import {
  type Database,
  type LogPosition,
  type RequestScope,
  readPosition,
  StalledCompanies,
  type Transaction,
} from './platform/postgres/index.js';
import type { Actor } from './policies/access.js';
import { findCompany, findToken, useMilliseconds, writeUse } from './tokens.js';

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
  now: Date;
  /** Address of the web application, for links to documents. */
  appUrl: string;
  webhooks: WebhookRules;
  streams: Streams;
  /** Where a stream was left that is opened again. */
  lastEventId: string | null;
  /** What its resolvers share, by what makes that. */
  shared: Map<unknown, unknown>;
}

/** Who asks, and how far the log of the primary had come by then. What was acknowledged before lies before that. */
interface Caller extends Actor {
  position?: LogPosition | undefined;
}

/**
 * Finds the person of a token, by its hash in base64. Fails with the same 401 if the token is missing, malformed, unknown,
 * expired or revoked, or if its person is suspended.
 */
export type Authenticate = (token: string | undefined, scope?: RequestScope) => Promise<Caller>;

const tokensKept = 10_000;

/**
 * Looks up a token on the primary, so that a revocation counts at once; after its first use in one
 * statement. Records the last use of each token, to the minute.
 */
export function authenticator(database: Database, options = { withPosition: false }): Authenticate {
  // Whose use this gateway has just recorded: requests that were under way meanwhile have not seen that.
  const recorded = new LRUCache<string, true>({ max: tokensKept, ttl: useMilliseconds });
  // The company of a token never changes.
  const companies = new LRUCache<string, string>({ max: tokensKept });
  const stalled = new StalledCompanies();

  /** The request does not wait for this. If it fails, the next request with the token tries again. */
  function recordUse(db: Database, { companyId, id }: { companyId: string; id: string }): void {
    const key = `${companyId} ${id}`;
    if (recorded.has(key)) return;
    recorded.set(key, true);
    writeUse(db, { companyId, id }).catch(() => recorded.delete(key));
  }

  return async (token, scope) => {
    if (token === undefined) throw failure('UNAUTHENTICATED');
    const db = database.within(scope);
    const hash = Uint8Array.from(Buffer.from(token, 'base64'));
    const known = companies.get(token);
    const companyId = known ?? (await findCompany(db, hash));
    if (companyId === undefined) throw failure('UNAUTHENTICATED');
    if (!known) companies.set(token, companyId);
    const row = await stalled.ask(companyId, () => findToken(db, hash, companyId, options));
    if (row === 'refused') throw failure('SERVICE_UNAVAILABLE');
    if (!row) throw failure('UNAUTHENTICATED');
    if (row.isUseDue) recordUse(db, row);
    const position = readPosition(row.position);
    return { personId: row.personId, companyId: row.companyId, tokenId: row.id, canWrite: row.canWrite, position };
  };
}
