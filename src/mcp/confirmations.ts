import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ActivityAction } from '../generated/client/enums.js';
import { activityActions } from '../operations/index.js';
import { badInput } from '../platform/failures/index.js';
import type { Once } from '../platform/graphql/index.js';
import { type Database, sql } from '../platform/postgres/index.js';
import { sortedJson } from '../text/nodes.js';

/** Seconds in which a confirmation may be used for the first time. */
export const confirmationSeconds = 600;

/**
 * Version 2: what the change is, in a sentence for whoever approves the call; then `v2.`, the microsecond of its preview by
 * the clock of the database, the state, and 128 bits of the HMAC.
 */
const form = /^(.{1,500}) · (v2\.([0-9a-z]{1,12})\.([\w-]{1,64})\.[\w-]{22})$/u;
/** Of the secret. */
const version = 1;

/** A change that has been previewed: what a confirmation is good for, and nothing else. */
interface ConfirmedChange {
  companyId: string;
  tokenId: string;
  /** The field of the mutation. */
  operation: string;
  input: Record<string, unknown>;
  sentence: string;
  state: string;
  /** The microsecond of the preview, since 1970. */
  time: bigint;
}

/**
 * The confirmation of a change. Another version of the gateway, or another gateway, must compute the same: whoever
 * changes a byte of it makes a new version, and takes this one as long as there may be any.
 */
export function confirmationOf(
  secret: Uint8Array,
  { companyId, tokenId, operation, input, sentence, state, time }: ConfirmedChange,
) {
  const confirmed = ['goalpost confirmation 2', companyId, tokenId, operation, input, sentence, state, `${time}`];
  const mac = createHmac('sha256', secret).update(sortedJson(confirmed)).digest().subarray(0, 16);
  return `${sentence} · v2.${time.toString(36)}.${state}.${mac.toString('base64url')}`;
}

interface Secret {
  secret: Uint8Array;
  now: string;
}

async function readSecret(db: Database): Promise<Secret> {
  const [found] = await db.$queryRaw<Secret[]>(sql`
    SELECT secret, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text AS now
    FROM confirmation_secrets WHERE version = ${version}::smallint`);
  if (found) return found;
  await db.$executeRaw(sql`
    INSERT INTO confirmation_secrets (version, secret) VALUES (${version}::smallint, ${randomBytes(32)})
    ON CONFLICT (version) DO NOTHING`);
  return readSecret(db);
}

/** Confirms that a change has been previewed. Nothing is stored. */
export async function issueConfirmation(
  db: Database,
  change: Omit<ConfirmedChange, 'time'>,
): Promise<{ confirmation: string; expiresAt: Date }> {
  const { secret, now } = await readSecret(db);
  const time = BigInt(now);
  const expiresAt = new Date(Number(time / 1000n) + confirmationSeconds * 1000);
  return { confirmation: confirmationOf(secret, { ...change, time }), expiresAt };
}

/** What ends a quotation, or looks like that (confusables of Unicode for `"`); two apostrophes do, too. */
const quotationMarks =
  /[\p{Quotation_Mark}\p{Pi}\p{Pf}\u02ba\u02dd\u02ee\u02f5\u02f6\u05f2\u05f4\u1cd3\u2032-\u2037\u2057\u275b-\u2760\u3003\u{1f676}-\u{1f678}]+/gu;
/** What is not seen, or turns what is beside it; not the joiners and selectors of emoji. A mark at the start would be on the quotation mark. */
const invisible =
  /(?:(?!(?<=\p{Extended_Pictographic}\ufe0f?)[\ufe0f\u200d])[\p{C}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}])+|^\p{M}+/gu;

/** A text of a record as a person reads it in a sentence: on one line, in quotation marks that it does not end, not too long. */
function named(text: string): string {
  const plain = text
    .replace(/[\p{Z}\s]+/gu, ' ')
    .trim()
    .replace(invisible, '�')
    .replace(quotationMarks, "'");
  const letters = [...plain];
  return `"${letters.length > 80 ? `${letters.slice(0, 79).join('')}…` : plain}"`;
}

/** What an action is, such as `a closed goal was reopened`. */
const happened = (action: ActivityAction) =>
  activityActions[action].description.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '');

/** A sentence such as `Delete the file {file.name}; notifies {notified.total_count} people`, with what a preview showed. */
export const sentenceOf = (template: string, shown: unknown): string =>
  template
    .replace(/\{([\w.]+)\}/g, (_place, path: string) => {
      const value = path
        .split('.')
        .reduce((each: unknown, name) => (each as Record<string, unknown> | null)?.[name], shown);
      if (path.endsWith('action')) return happened(value as ActivityAction);
      return typeof value === 'string' ? named(value) : String(value ?? 'none');
    })
    .replace(/\b1 people\b/, '1 person');

const refused = (message: string) => badInput([{ field: 'confirmation', code: 'invalid', message }]);

/**
 * Reads a confirmation. Throws 400 unless this token has previewed exactly this change. Whether it has expired is
 * decided once it is known that the change has not been made, in the transaction that makes it and by the clock
 * by which its outcome is kept: as that is kept no shorter than the confirmation lasts, there is always one of both.
 */
export async function redeemConfirmation(
  db: Database,
  confirmation: string,
  change: Omit<ConfirmedChange, 'sentence' | 'state' | 'time'>,
): Promise<{ state: string; once: Once }> {
  const [, sentence, key, digits, state] = form.exec(confirmation) ?? [];
  if (sentence === undefined || key === undefined || digits === undefined || state === undefined)
    throw refused('is no confirmation: copy it whole, or call preview_change for a new one');
  const time = [...digits].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
  const { secret } = await readSecret(db);
  const expected = Buffer.from(confirmationOf(secret, { ...change, sentence, state, time }));
  const given = Buffer.from(confirmation);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) {
    throw refused(
      'is not for this change: send the arguments that preview_change returned with it, to the tool and with the token ' +
        'that it is for, or call preview_change again',
    );
  }
  const until = Number(time) / 1e6 + confirmationSeconds;
  const begin: Once['begin'] = async (tx) => {
    const [row] = await tx.$queryRaw<{ isExpired: boolean }[]>(sql`
      SELECT now() >= to_timestamp(${until}::float8) AS "isExpired"`);
    if (row?.isExpired !== false) throw refused('has expired: call preview_change again');
  };
  // It says what is asked for, so its hash is the fingerprint.
  const fingerprint = Uint8Array.from(createHash('sha256').update(confirmation).digest());
  return { state, once: { key, fingerprint, leastSeconds: confirmationSeconds, begin } };
}
