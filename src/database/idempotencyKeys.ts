import { createHash } from 'node:crypto';
import type { Database, Transaction } from './query/client.js';

/** An idempotency key is scoped to one token and one operation. */
export interface KeyScope {
  companyId: string;
  tokenId: string;
  operation: string;
  key: string;
}

export interface Outcome {
  /** SHA-256 of the request. */
  fingerprint: Uint8Array<ArrayBuffer>;
  /** The GraphQL result as JSON. */
  result: string;
}

/** Locks the key until the transaction ends. Returns false, without waiting, if another transaction has locked it. */
export async function holdKey(tx: Transaction, { companyId, tokenId, operation, key }: KeyScope): Promise<boolean> {
  const lock = createHash('sha256')
    .update(JSON.stringify([companyId, tokenId, operation, key]))
    .digest()
    .readBigInt64BE();
  const rows = await tx.$queryRaw<{ held: boolean }[]>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`;
  return rows[0]?.held === true;
}

/** The outcome of the key, unless it has expired. Call it after {@link holdKey}, to see what the last holder wrote. */
export async function findOutcome(tx: Transaction, scope: KeyScope, now: Date): Promise<Outcome | null> {
  const row = await tx.idempotencyKey.findUnique({ where: { companyId_tokenId_operation_key: scope } });
  return row && row.expiresAt > now ? row : null;
}

/** Replaces the outcome of the key that has expired, if there is one. */
export async function keepOutcome(
  tx: Transaction,
  { companyId, tokenId, operation, key }: KeyScope,
  { fingerprint, result }: Outcome,
  expiresAt: Date,
): Promise<void> {
  await tx.$queryRaw`
    INSERT INTO idempotency_keys (company_id, token_id, operation, key, fingerprint, result, expires_at)
    VALUES (${companyId}, ${tokenId}, ${operation}, ${key}, ${fingerprint}, ${result}, ${expiresAt}::timestamptz)
    ON CONFLICT (company_id, token_id, operation, key)
    DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result, expires_at = excluded.expires_at`;
}

/**
 * Deletes expired outcomes, company by company and in batches, except those that another transaction has locked.
 * Returns their number.
 */
export async function purgeOutcomes(db: Database, now: Date, batch = 1000): Promise<number> {
  const companies = await db.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM companies c
    WHERE EXISTS (SELECT FROM idempotency_keys k WHERE k.company_id = c.id AND k.expires_at <= ${now})`;
  let purged = 0;
  for (const { id } of companies) purged += await purgeOutcomesOf(db, id, now, batch);
  return purged;
}

async function purgeOutcomesOf(db: Database, companyId: string, now: Date, batch: number): Promise<number> {
  for (let purged = 0; ; ) {
    const count = await db.$executeRaw`
      DELETE FROM idempotency_keys WHERE company_id = ${companyId} AND (token_id, operation, key) IN (
        SELECT token_id, operation, key FROM idempotency_keys WHERE company_id = ${companyId} AND expires_at <= ${now}
        ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)`;
    purged += count;
    if (count < batch) return purged;
  }
}
