import { createHash, randomBytes } from 'node:crypto';
import type { ExecutionResult } from 'graphql';
import { purgeRows } from '../platform/administration/index.js';
import { badInput } from '../platform/failures/index.js';
import { type Once, replayOutcome } from '../platform/graphql/index.js';
import { type Database, sql } from '../platform/postgres/index.js';

/** Seconds in which a receipt may be used. */
export const receiptSeconds = 600;

/** The most receipts of a token; the oldest make room for new ones. One that was used is none: its outcome took its place. */
export const mostReceipts = 100;

/** The most bytes of an input for which there is a receipt. */
export const longestInput = 65_536;

const newReceipt = () => `rcpt_${randomBytes(16).toString('base64url')}`;
const form = /^rcpt_[\w-]{22}$/;
const hashOf = (receipt: string) => Uint8Array.from(createHash('sha256').update(receipt).digest());

/** The idempotency key of the change that a receipt is for. */
const keyOf = (hash: Uint8Array) => `receipt-${Buffer.from(hash).toString('hex')}`;

interface Owner {
  companyId: string;
  tokenId: string;
}

/** A change that has been previewed. */
interface PreviewedChange {
  operation: string;
  input: Record<string, unknown>;
  /** The state that the preview showed. */
  state: string;
}

interface Issued {
  /** Only the caller gets it: its hash is stored. */
  receipt: string;
  expiresAt: Date;
}

/** Issues a receipt for a change. Throws 400 if the input is too long. */
export async function issueReceipt(
  db: Database,
  { companyId, tokenId }: Owner,
  { operation, input, state }: PreviewedChange,
): Promise<Issued> {
  const text = JSON.stringify(input);
  if (Buffer.byteLength(text) > longestInput) {
    const message = `must have at most ${longestInput} bytes in all; longer input goes over REST or GraphQL`;
    throw badInput([{ field: '', code: 'too_long', message }]);
  }
  const receipt = newReceipt();
  // Only the oldest are locked: whoever locked them all would hide them from those who look at the same time.
  await db.$executeRaw(sql`
    WITH oldest AS (
      SELECT r.hash FROM receipts r WHERE r.company_id = ${companyId} AND r.token_id = ${tokenId}
      ORDER BY r.inserted_at DESC, r.hash OFFSET ${mostReceipts - 1}::integer
    ), free AS MATERIALIZED (
      SELECT r.hash FROM receipts r
      WHERE r.company_id = ${companyId} AND r.token_id = ${tokenId} AND r.hash IN (SELECT hash FROM oldest)
      FOR UPDATE SKIP LOCKED
    )
    DELETE FROM receipts r USING free
    WHERE r.company_id = ${companyId} AND r.token_id = ${tokenId} AND r.hash = free.hash`);
  const [row] = await db.$queryRaw<{ expiresAt: Date }[]>(sql`
    INSERT INTO receipts (company_id, token_id, hash, operation, input, state, expires_at)
    VALUES (${companyId}, ${tokenId}, ${hashOf(receipt)}, ${operation}, ${text}, ${state},
      now() + make_interval(secs => ${receiptSeconds}))
    RETURNING expires_at AS "expiresAt"`);
  if (!row) throw new Error('a receipt was not stored');
  return { receipt, expiresAt: row.expiresAt };
}

interface FoundReceipt {
  operation: string;
  input: string;
  state: string;
  isExpired: boolean;
}

/** What a receipt lets its token do, once. */
export interface RedeemableChange extends Omit<PreviewedChange, 'operation'> {
  once: Once;
}

const refused = (message: string) => badInput([{ field: 'receipt', code: 'not_found', message }]);

/**
 * Finds the change of a receipt, or the outcome that it had. Throws 400 if it is no receipt of this token for this operation, or if it has expired.
 * The transaction that makes the change and keeps its outcome deletes the receipt, so that there is always one of both.
 */
export async function redeemReceipt(
  db: Database,
  owner: Owner,
  { receipt, operation, nameOf }: { receipt: string; operation: string; nameOf: (operation: string) => string },
): Promise<RedeemableChange | { outcome: ExecutionResult }> {
  const { companyId, tokenId } = owner;
  const unknown = refused(
    'is not a receipt of this token, or not any more: copy it whole, or call preview_change for a new one',
  );
  if (!form.test(receipt)) throw unknown;
  const hash = hashOf(receipt);
  const [key, isReceipt] = [
    keyOf(hash),
    sql`r.company_id = ${companyId} AND r.token_id = ${tokenId} AND r.hash = ${hash}`,
  ];
  const [found] = await db.$queryRaw<FoundReceipt[]>(sql`
    SELECT r.operation, r.input, r.state, r.expires_at <= now() AS "isExpired" FROM receipts r WHERE ${isReceipt}`);
  if (!found) {
    const outcome = await replayOutcome(db, { ...owner, operation, key, fingerprint: hash });
    if (!outcome) throw unknown;
    return { outcome };
  }
  if (found.operation !== operation) throw refused(`is a receipt for ${nameOf(found.operation)}: call that instead`);
  if (found.isExpired) throw refused('has expired: call preview_change for a new one');
  const onKept: Once['onKept'] = (tx) => tx.$executeRaw(sql`DELETE FROM receipts r WHERE ${isReceipt}`);
  // The receipt says what is asked for, so its hash is the fingerprint.
  return { input: JSON.parse(found.input), state: found.state, once: { key, fingerprint: hash, onKept } };
}

/** Deletes the receipts that have expired. */
export const purgeReceipts = (db: Database, tenants: string, batch = 1000): Promise<number> =>
  purgeRows(db, {
    tenants,
    table: 'receipts',
    key: ['token_id', 'hash'],
    time: 'expires_at',
    until: sql`now()`,
    batch,
  });
