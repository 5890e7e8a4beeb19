import type { Config } from '../../config/config.js';
import { createToken, momentIn } from '../../database/tokens.js';
import { printable } from '../../telemetry/printable.js';
import { readDuration } from '../duration.js';
import { UsageError } from '../usageError.js';
import { withDatabase } from '../withDatabase.js';
import { findPerson } from './findPerson.js';

export interface NewTokenOptions {
  person: string;
  company?: string;
  name: string;
  write?: boolean;
  expires?: string;
}

/** Prints a new token to stdout, the only time it is shown, and what it may do to stderr. */
export async function newToken(
  config: Config,
  { person, company, name, write = false, expires }: NewTokenOptions,
): Promise<void> {
  if (!/^(?=.*\S)\P{C}{1,200}$/u.test(name) || name.includes('\uFFFD')) {
    throw new UsageError('--name takes 1 to 200 characters on one line, such as "Nightly report"');
  }
  const milliseconds = expires === undefined ? undefined : readDuration('--expires', expires);
  await withDatabase(config, async ({ db }) => {
    const { companyId, ...owner } = await findPerson(db, person, company);
    if (owner.suspendedAt) throw new UsageError(`${printable(owner.fullName)} is suspended; their tokens are rejected`);
    const expiresAt = milliseconds === undefined ? null : await momentIn(db, milliseconds);
    const { id, token } = await createToken(db, { companyId, personId: person, name, canWrite: write, expiresAt });
    console.log(token);
    console.error(
      `${write ? 'Write-enabled' : 'Read-only'} token ${id} of ${printable(owner.fullName)}, ` +
        `${expiresAt ? `expires ${expiresAt.toISOString()}` : 'never expires'}. It cannot be shown again.`,
    );
  });
}
