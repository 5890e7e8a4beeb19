import { createHash } from 'node:crypto';
import { purgeRows } from './admin/purgeRows.js';
import { Prisma } from './generated/client/client.js';
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
  /** For how long a retry gets it, by the clock of the database: gateways may have clocks that are wrong. */
  seconds: number;
}

export interface KeptOutcome {
  result: string;
  /** Whether the request that it is the outcome of has the same fingerprint. */
  isSameRequest: boolean;
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
export async function findOutcome(
  tx: Transaction,
  { companyId, tokenId, operation, key }: KeyScope,
  fingerprint: Outcome['fingerprint'],
): Promise<KeptOutcome | undefined> {
  const [kept] = await tx.$queryRaw<KeptOutcome[]>`
    SELECT result, fingerprint = ${fingerprint} AS "isSameRequest" FROM idempotency_keys
    WHERE company_id = ${companyId} AND token_id = ${tokenId} AND operation = ${operation} AND key = ${key}
      AND expires_at > now()`;
  return kept;
}

/** The bytes of a token's outcomes of more than so many bytes each, and the seconds until the first of them expires. */
export async function longOutcomesOf(
  tx: Transaction,
  { companyId, tokenId }: Pick<KeyScope, 'companyId' | 'tokenId'>,
  leastBytes: number,
): Promise<{ bytes: number; seconds: number }> {
  const [found] = await tx.$queryRaw<{ bytes: number; seconds: number }[]>`
    SELECT coalesce(sum(octet_length(result)), 0)::float8 AS bytes,
      coalesce(extract(epoch FROM min(expires_at) - now()), 0)::float8 AS seconds
    FROM idempotency_keys
    WHERE company_id = ${companyId} AND token_id = ${tokenId} AND octet_length(result) > ${leastBytes}
      AND expires_at > now()`;
  return found ?? { bytes: 0, seconds: 0 };
}

/** Replaces the outcome of the key that has expired, if there is one. */
export async function keepOutcome(
  tx: Transaction,
  { companyId, tokenId, operation, key }: KeyScope,
  { fingerprint, result, seconds }: Outcome,
): Promise<void> {
  await tx.$queryRaw`
    INSERT INTO idempotency_keys (company_id, token_id, operation, key, fingerprint, result, expires_at)
    VALUES (${companyId}, ${tokenId}, ${operation}, ${key}, ${fingerprint}, ${result},
      now() + make_interval(secs => ${seconds}))
    ON CONFLICT (company_id, token_id, operation, key)
    DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result, expires_at = excluded.expires_at`;
}

/** Deletes expired outcomes, except those that another transaction has locked. Returns their number. */
export const purgeOutcomes = (db: Database, batch = 1000): Promise<number> =>
  purgeRows(db, {
    table: 'idempotency_keys',
    key: ['token_id', 'operation', 'key'],
    time: 'expires_at',
    until: Prisma.sql`now()`,
    batch,
  });
