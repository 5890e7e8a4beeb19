import { createHash, randomBytes } from 'node:crypto';
import { purgeRows } from '../platform/administration/index.js';
import { badInput } from '../platform/failures/index.js';
import { hasOutcome } from '../platform/graphql/index.js';
import { type Database, sql } from '../platform/postgres/index.js';

/** Seconds in which a receipt may be used for the first time. */
export const receiptSeconds = 600;

/** The most receipts of a token that are not used yet; the oldest make room for new ones. */
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
  await db.$executeRaw(sql`
    WITH oldest AS MATERIALIZED (
      SELECT r.hash FROM receipts r WHERE r.company_id = ${companyId} AND r.token_id = ${tokenId} AND r.used_at IS NULL
      ORDER BY r.inserted_at DESC, r.hash OFFSET ${mostReceipts - 1}::integer FOR UPDATE SKIP LOCKED
    )
    DELETE FROM receipts r USING oldest
    WHERE r.company_id = ${companyId} AND r.token_id = ${tokenId} AND r.hash = oldest.hash`);
  const [row] = await db.$queryRaw<{ expiresAt: Date }[]>(sql`
    INSERT INTO receipts (company_id, token_id, hash, operation, input, state, expires_at, purge_at)
    VALUES (${companyId}, ${tokenId}, ${hashOf(receipt)}, ${operation}, ${text}, ${state},
      now() + make_interval(secs => ${receiptSeconds}), now() + make_interval(secs => ${receiptSeconds}))
    RETURNING expires_at AS "expiresAt"`);
  if (!row) throw new Error('a receipt was not stored');
  return { receipt, expiresAt: row.expiresAt };
}

interface FoundReceipt {
  operation: string;
  input: string;
  state: string;
  isUsed: boolean;
  /** Whether the change may still be made; if it has been, its outcome is still kept. */
  isValid: boolean;
}

/** What a receipt lets its token do. */
export interface RedeemableChange extends Omit<PreviewedChange, 'operation'> {
  /** With this idempotency key, so that it is made once. */
  key: string;
}

const refused = (message: string) => badInput([{ field: 'receipt', code: 'not_found', message }]);

/**
 * Finds the change of a receipt, and notes that it is used from now on. Throws 400 if it is no receipt of this token for
 * this operation, or if it has expired; one that was used has not, as long as its outcome is kept.
 */
export async function redeemReceipt(
  db: Database,
  owner: Owner,
  { receipt, operation, nameOf }: { receipt: string; operation: string; nameOf: (operation: string) => string },
  outcomeSeconds: number,
): Promise<RedeemableChange> {
  const { companyId, tokenId } = owner;
  const unknown = refused('is not a receipt of this token: copy it whole, or call preview_change for a new one');
  if (!form.test(receipt)) throw unknown;
  const hash = hashOf(receipt);
  const [found] = await db.$queryRaw<FoundReceipt[]>(sql`
    SELECT r.operation, r.input, r.state, r.used_at IS NOT NULL AS "isUsed", r.expires_at > now()
        AND (r.used_at IS NULL OR r.used_at > now() - make_interval(secs => ${outcomeSeconds})) AS "isValid"
    FROM receipts r WHERE r.company_id = ${companyId} AND r.token_id = ${tokenId} AND r.hash = ${hash}`);
  if (!found) throw unknown;
  if (found.operation !== operation) throw refused(`is a receipt for ${nameOf(found.operation)}: call that instead`);
  const key = keyOf(hash);
  if (!found.isValid && !(found.isUsed && (await hasOutcome(db, { ...owner, operation, key })))) {
    throw refused('has expired: call preview_change for a new one');
  }
  if (!found.isUsed) {
    // Before the change, so that its receipt is kept for as long as its outcome, whatever happens meanwhile.
    await db.$executeRaw(sql`
      UPDATE receipts r SET used_at = now(), purge_at = now() + make_interval(secs => ${outcomeSeconds + receiptSeconds})
      WHERE r.company_id = ${companyId} AND r.token_id = ${tokenId} AND r.hash = ${hash} AND r.used_at IS NULL`);
  }
  return { input: JSON.parse(found.input), state: found.state, key };
}

/** Deletes the receipts that have expired, and the used ones whose outcome is not kept any more. */
export const purgeReceipts = (db: Database, tenants: string, batch = 1000): Promise<number> =>
  purgeRows(db, {
    tenants,
    table: 'receipts',
    key: ['token_id', 'hash'],
    time: 'purge_at',
    until: sql`now()`,
    batch,
  });
