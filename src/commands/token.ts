import type { Config } from '../config/config.js';
import type { Database } from '../database/query/client.js';
import { createToken, momentIn } from '../database/tokens.js';
import { printable } from '../telemetry/printable.js';
import { aligned } from './aligned.js';
import { readDuration } from './duration.js';
import { openForCommand } from './openForCommand.js';
import { UsageError } from './usageError.js';

export interface CreateOptions {
  person: string;
  company?: string;
  name: string;
  write?: boolean;
  expires?: string;
}

/** Prints a new token to stdout, the only time it is shown, and what it may do to stderr. */
export async function create(
  config: Config,
  { person, company, name, write = false, expires }: CreateOptions,
): Promise<void> {
  if (!/^(?=.*\S)\P{C}{1,200}$/u.test(name) || name.includes('\uFFFD')) {
    throw new UsageError('--name takes 1 to 200 characters on one line, such as "Nightly report"');
  }
  const milliseconds = expires === undefined ? undefined : readDuration('--expires', expires);
  const { db, close } = await openForCommand(config);
  try {
    const { companyId, ...owner } = await findPerson(db, person, company);
    if (owner.suspendedAt) throw new UsageError(`${printable(owner.fullName)} is suspended; their tokens are rejected`);
    const expiresAt = milliseconds === undefined ? null : await momentIn(db, milliseconds);
    const { id, token } = await createToken(db, { companyId, personId: person, name, canWrite: write, expiresAt });
    console.log(token);
    console.error(
      `${write ? 'Write-enabled' : 'Read-only'} token ${id} of ${printable(owner.fullName)}, ` +
        `${expiresAt ? `expires ${expiresAt.toISOString()}` : 'never expires'}. It cannot be shown again.`,
    );
  } finally {
    await close();
  }
}

/** A few ids of people, for who does not know any. */
async function someIds(db: Database, companyId: string | undefined): Promise<string> {
  const where = { suspendedAt: null, ...(companyId !== undefined && { companyId }) };
  const people = await db.person.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: 3 });
  if (people.length === 0) return '; there is nobody yet: see npx goalpost import';
  return `; ids that exist: ${people.map(({ id }) => JSON.stringify(id)).join(', ')}`;
}

/** Finds the person with this id, which people of several companies may share. */
async function findPerson(db: Database, id: string, companyId: string | undefined) {
  const people = await db.person.findMany({
    where: { id, ...(companyId !== undefined && { companyId }) },
    select: { companyId: true, fullName: true, suspendedAt: true },
    orderBy: { companyId: 'asc' },
    take: 10,
  });
  const [person, ...others] = people;
  const named = `the id ${JSON.stringify(id)}`;
  if (!person) {
    const where = companyId === undefined ? '' : ' of this company';
    throw new UsageError(`no person${where} has ${named}${await someIds(db, companyId)}`);
  }
  if (others.length === 0) return person;
  const companies = people.map((found) => JSON.stringify(found.companyId)).join(', ');
  throw new UsageError(`people of several companies have ${named}; add --company with one of: ${companies}`);
}

export interface ListOptions {
  json?: boolean;
}

/** Prints one line for each token, newest first, in columns; with `json`, an array of objects. */
export async function list(config: Config, { json = false }: ListOptions): Promise<void> {
  const { db, close } = await openForCommand(config);
  try {
    const found = await db.apiToken.findMany({
      orderBy: [{ insertedAt: 'desc' }, { id: 'desc' }],
      include: { person: { select: { suspendedAt: true } } },
    });
    const now = await momentIn(db, 0);
    const tokens = found.map((token) => ({
      id: token.id,
      token: `gp_…${token.lastFour}`,
      access: token.canWrite ? 'write' : 'read-only',
      state: stateOf(token, now),
      companyId: token.companyId,
      personId: token.personId,
      lastUsedAt: token.lastUsedAt,
      expiresAt: token.expiresAt,
      insertedAt: token.insertedAt,
      name: token.name,
    }));
    if (json) {
      console.log(JSON.stringify(tokens, null, 2));
      return;
    }
    const rows = tokens.map(({ id, token, access, state, companyId, personId, lastUsedAt, expiresAt, name }) => {
      const shownState = state === 'valid' && expiresAt ? `until ${expiresAt.toISOString()}` : state;
      const lastUsed = lastUsedAt?.toISOString() ?? 'never';
      return [id, token, access, shownState, companyId, personId, lastUsed, name].map(printable);
    });
    console.log(aligned([['id', 'token', 'access', 'state', 'company', 'person', 'last used', 'name'], ...rows]));
  } finally {
    await close();
  }
}

interface Validity {
  revokedAt: Date | null;
  expiresAt: Date | null;
  person: { suspendedAt: Date | null };
}

function stateOf({ revokedAt, expiresAt, person }: Validity, now: Date) {
  if (revokedAt) return 'revoked';
  if (expiresAt && expiresAt <= now) return 'expired';
  if (person.suspendedAt) return 'suspended';
  return 'valid';
}

/** Revokes a token. The next request with it is rejected. */
export async function revoke(config: Config, id: string): Promise<void> {
  const { db, close } = await openForCommand(config);
  try {
    const { count } = await db.prisma.apiToken.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    if (count === 0)
      throw new UsageError(`no valid token has the id ${JSON.stringify(id)}; see npx goalpost token list`);
    console.log(`revoked ${id}`);
  } finally {
    await close();
  }
}
