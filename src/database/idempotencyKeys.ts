import { createHash } from 'node:crypto';
import type { Database, Transaction } from './client.js';

/** An idempotency key is scoped to one token and one operation. */
export interface KeyScope {
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
export async function holdKey(tx: Transaction, { tokenId, operation, key }: KeyScope): Promise<boolean> {
  const lock = createHash('sha256')
    .update(JSON.stringify([tokenId, operation, key]))
    .digest()
    .readBigInt64BE();
  const rows = await tx.$queryRaw<{ held: boolean }[]>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`;
  return rows[0]?.held === true;
}

/** The outcome of the key, unless it has expired. Call it after {@link holdKey}, to see what the last holder wrote. */
export async function findOutcome(tx: Transaction, scope: KeyScope, now: Date): Promise<Outcome | null> {
  const row = await tx.idempotencyKey.findUnique({ where: { tokenId_operation_key: scope } });
  return row && row.expiresAt > now ? row : null;
}

export async function keepOutcome(tx: Transaction, scope: KeyScope, outcome: Outcome, expiresAt: Date): Promise<void> {
  await tx.idempotencyKey.upsert({
    where: { tokenId_operation_key: scope },
    create: { ...scope, ...outcome, expiresAt },
    update: { ...outcome, expiresAt },
    select: { key: true },
  });
}

/** Deletes expired outcomes in batches, except those that another transaction has locked. Returns their number. */
export async function purgeOutcomes(db: Database, now: Date, batch = 1000): Promise<number> {
  for (let purged = 0; ; ) {
    const count = await db.$executeRaw`
      DELETE FROM idempotency_keys WHERE (token_id, operation, key) IN (
        SELECT token_id, operation, key FROM idempotency_keys WHERE expires_at <= ${now}
        ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)`;
    purged += count;
    if (count < batch) return purged;
  }
}
