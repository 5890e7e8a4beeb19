import type { OwnDatabase } from '../database.js';
import type { ApiToken, Person } from '../generated/client/client.js';
import { revokeForUndo, type Undoing, undoChanges } from '../operations/undo.js';
import { scopeOf } from '../platform/graphql/index.js';
import { printable } from '../platform/telemetry/index.js';
import { itemsOf, type Surface, surfaces } from '../policies/access.js';
import type { Config } from '../settings.js';
import { createToken, momentIn } from '../tokens.js';
import { UsageError } from './exitCode.js';
import { aligned, print, printError, printJson } from './print.js';
import { withDatabase } from './withDatabase.js';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const longest = 36_500 * units.d;

/** The milliseconds of a duration such as `30d`, `12h` or `45m`. Throws a UsageError that names the option. */
export function readDuration(option: string, duration: string): number {
  const [, count, unit] = /^(\d{1,9})([mhd])$/.exec(duration) ?? [];
  const milliseconds = Number(count) * units[unit as keyof typeof units];
  if (!(milliseconds > 0 && milliseconds <= longest)) {
    throw new UsageError(
      `${option} takes a duration such as 30d, 12h or 45m, at most 36500d, not ${JSON.stringify(duration)}`,
    );
  }
  return milliseconds;
}

/** Finds the person with this id, which people of several companies may share. */
async function findPerson(db: OwnDatabase, id: string, companyId: string | undefined) {
  const people = await db.prisma.person.findMany({
    where: { id, ...(companyId !== undefined && { companyId }) },
    select: { companyId: true, fullName: true, suspendedAt: true },
    orderBy: { companyId: 'asc' },
    take: 10,
  });
  const [person, ...others] = people;
  const named = `the id ${JSON.stringify(id)}`;
  if (!person) {
    const where = companyId === undefined ? '' : ' of this company';
    throw new UsageError(`no person${where} has ${named}; see npx goalpost people`);
  }
  if (others.length === 0) return person;
  const companies = people.map((found) => JSON.stringify(found.companyId)).join(', ');
  throw new UsageError(`people of several companies have ${named}; add --company with one of: ${companies}`);
}

interface NewTokenOptions {
  person: string;
  company?: string;
  name: string;
  write?: boolean;
  scope?: string[];
  surface?: string[];
  expires?: string;
}

async function allScopes(): Promise<string[]> {
  const { schema } = await import('../schema.js');
  return [...new Set(Object.values(schema.getMutationType()?.getFields() ?? {}).map(scopeOf))].sort();
}

/** The values of a repeated option. Throws a UsageError that names those there are. */
function known<Value extends string>(option: string, given: string[], all: readonly Value[]): Value[] {
  const isKnown = (value: string): value is Value => (all as readonly string[]).includes(value);
  const unknown = given.find((value) => !isKnown(value));
  if (unknown !== undefined)
    throw new UsageError(`${option} takes one of ${all.join(', ')}, not ${JSON.stringify(unknown)}`);
  return [...new Set(given.filter(isKnown))];
}

/** Prints a new token to stdout, the only time it is shown, and what it may do to stderr. */
export async function newToken(
  config: Config,
  { person, company, name, write = false, scope, surface, expires }: NewTokenOptions,
): Promise<void> {
  if (!/^(?=.*\S)\P{C}{1,200}$/u.test(name) || name.includes('\uFFFD')) {
    throw new UsageError('--name takes 1 to 200 characters on one line, such as "Nightly report"');
  }
  if (scope && !write) throw new UsageError('--scope needs --write: a token without it can change nothing');
  const scopes = scope ? known('--scope', scope, await allScopes()) : null;
  const allowed: Surface[] | null = surface ? known('--surface', surface, surfaces) : null;
  const milliseconds = expires === undefined ? undefined : readDuration('--expires', expires);
  await withDatabase(config, async ({ db }) => {
    const { companyId, ...owner } = await findPerson(db, person, company);
    if (owner.suspendedAt) throw new UsageError(`${printable(owner.fullName)} is suspended; their tokens are rejected`);
    const expiresAt = milliseconds === undefined ? null : await momentIn(db, milliseconds);
    const grants = { canWrite: write, scopes, surfaces: allowed };
    const { id, token } = await createToken(db, { companyId, personId: person, name, ...grants, expiresAt });
    const limits = [scopes && `only ${scopes.join(', ')}`, allowed && `only for ${allowed.join(', ')}`].filter(Boolean);
    print(token);
    printError(
      `${write ? 'Write-enabled' : 'Read-only'} token ${id} of ${printable(owner.fullName)}, ` +
        `${limits.map((limit) => `${limit}, `).join('')}` +
        `${expiresAt ? `expires ${expiresAt.toISOString()}` : 'never expires'}. It cannot be shown again.`,
    );
  });
}

/** Prints one line for each token, newest first, in columns; with `json`, an array of objects. */
export async function listTokens(config: Config, { json = false }: { json?: boolean }): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const found = await db.prisma.apiToken.findMany({
      orderBy: [{ insertedAt: 'desc' }, { id: 'desc' }],
      include: { person: { select: { suspendedAt: true } } },
    });
    const now = await momentIn(db, 0);
    const tokens = found.map((token) => ({
      id: token.id,
      token: `gp_…${token.lastFour}`,
      access: token.canWrite ? 'write' : 'read-only',
      scopes: itemsOf(token.scopes),
      surfaces: itemsOf(token.surfaces),
      state: stateOf(token, now),
      companyId: token.companyId,
      personId: token.personId,
      lastUsedAt: token.lastUsedAt,
      expiresAt: token.expiresAt,
      insertedAt: token.insertedAt,
      name: token.name,
    }));
    if (json) {
      printJson(tokens);
      return;
    }
    const rows = tokens.map(
      ({ id, token, access, scopes, surfaces, state, companyId, personId, lastUsedAt, expiresAt, name }) => {
        const shownState = state === 'valid' && expiresAt ? `until ${expiresAt.toISOString()}` : state;
        const lastUsed = lastUsedAt?.toISOString() ?? 'never';
        const only = access === 'write' && scopes && `only ${scopes.join(' ')}`;
        const shownAccess = [access, only, surfaces && `in ${surfaces.join(' ')}`].filter(Boolean).join(', ');
        return [id, token, shownAccess, shownState, companyId, personId, lastUsed, name].map(printable);
      },
    );
    print(aligned([['id', 'token', 'access', 'state', 'company', 'person', 'last used', 'name'], ...rows]));
  });
}

type Validity = Pick<ApiToken, 'revokedAt' | 'expiresAt'> & { person: Pick<Person, 'suspendedAt'> };

function stateOf({ revokedAt, expiresAt, person }: Validity, now: Date) {
  if (revokedAt) return 'revoked';
  if (expiresAt && expiresAt <= now) return 'expired';
  if (person.suspendedAt) return 'suspended';
  return 'valid';
}

/** Revokes a token. The next request with it is rejected. */
export async function revokeToken(config: Config, id: string): Promise<void> {
  await withDatabase(config, async ({ db }) => {
    const { count } = await db.prisma.apiToken.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    if (count === 0)
      throw new UsageError(`no valid token has the id ${JSON.stringify(id)}; see npx goalpost token list`);
    print(`revoked ${id}`);
  });
}

interface UndoTokenOptions {
  since?: string;
  as?: string;
  dryRun?: boolean;
  json?: boolean;
}

/** Revokes a token and takes back what it did, newest first; what a later change depends on is left, with the reason. */
export async function undoToken(
  config: Config,
  id: string,
  { since, as, dryRun = false, json = false }: UndoTokenOptions,
) {
  const milliseconds = since === undefined ? undefined : readDuration('--since', since);
  await withDatabase(config, async ({ db }) => {
    const [found, ...others] = await db.prisma.apiToken.findMany({
      where: { id },
      select: { companyId: true, personId: true },
    });
    if (!found || others.length > 0)
      throw new UsageError(`no token has the id ${JSON.stringify(id)}; see npx goalpost token list`);
    const { companyId } = found;
    if (as !== undefined) await findPerson(db, as, companyId);
    const token = { companyId, tokenId: id, authorId: as ?? found.personId };
    const from = milliseconds === undefined ? null : await momentIn(db, -milliseconds);
    if (!dryRun) await revokeForUndo(db, token);
    const outcomes: Undoing[] = [];
    for await (const outcome of undoChanges(db, token, { since: from, dryRun })) {
      outcomes.push(outcome);
      if (!json) print(lineOf(outcome, dryRun));
    }
    const { disableWebhooksOf } = await import('../webhooks/index.js');
    const webhooks = await disableWebhooksOf(db, token, { since: from, dryRun });
    if (json) printJson({ changes: outcomes, webhooks });
    else
      for (const { id, url } of webhooks)
        print(`${dryRun ? 'would disable' : 'disabled'}  webhook  ${id}  ${printable(url)}`);
    const left = outcomes.filter((outcome) => outcome.left !== null).length;
    const verb = dryRun ? 'Would undo' : 'Revoked the token, undid';
    printError(
      `${verb} ${counted(outcomes.length - left, 'change')}, left ${left}, and ${dryRun ? 'would disable' : 'disabled'} ${counted(webhooks.length, 'webhook')}.`,
    );
  });
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** One change and its outcome, such as `undone  goal_reopened  goal-1  Win back`. */
function lineOf({ action, subjectId, name, left }: Undoing, dryRun: boolean): string {
  const outcome = left === null ? (dryRun ? 'would undo' : 'undone') : 'left';
  return [outcome, action, subjectId, name, ...(left === null ? [] : [left])].map(printable).join('  ');
}
