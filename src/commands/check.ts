import { type OwnDatabase, openModels } from '../database.js';
import { maintenancePoolSize, tryListening } from '../gateway.js';
import * as enums from '../generated/client/enums.js';
import {
  factsOf,
  losesNames,
  migrationsDirectory,
  type Privileges,
  pendingMigrations,
  privilegesOf,
  refusalOf,
  schemaProblem,
} from '../platform/administration/index.js';
import { hasCluster, startEmbedded } from '../platform/embedded/index.js';
import { isLoopback, snakeCase } from '../platform/http/index.js';
import { rateLimitPoolSize } from '../platform/limits/index.js';
import {
  DatabaseError,
  encryptionOf,
  limitsOf,
  rawSql,
  reasonOf,
  remedyOfEncoding,
  type SessionClient,
  sql,
  withTimedClient,
} from '../platform/postgres/index.js';
import { AddressTaken } from '../platform/process/index.js';
import { ConfigError, type Environment, shellWord, unusedParameters } from '../platform/settings/index.js';
import { printable } from '../platform/telemetry/index.js';
import { type Config, configOf, effectiveSettings } from '../settings.js';
import { lastImports } from '../workspace/lastImports.js';
import { nextCommands } from './nextCommands.js';
import { listed, print } from './print.js';

/** What is wrong is at the top, and what to do about it below it; then what could be better, and what works. */
const kinds = ['problem', 'next', 'note', 'ok'] as const;

class Findings {
  readonly #found: [kind: (typeof kinds)[number], text: string][] = [];

  readonly problem = (text: string) => void this.#found.push(['problem', text]);
  readonly next = (text: string) => void this.#found.push(['next', text]);
  readonly note = (text: string) => void this.#found.push(['note', text]);
  readonly ok = (text: string) => void this.#found.push(['ok', text]);

  print(): number {
    const of = (kind: string) => this.#found.filter(([each]) => each === kind);
    print('Found');
    for (const [kind, text] of kinds.flatMap(of)) print(`  ${kind.padEnd('problem'.length)}  ${text}`);
    return of('problem').length;
  }
}

export interface CheckOptions {
  /** Whether to print also the settings that have their defaults. */
  all?: boolean;
}

/** Prints what is wrong, what works, what to run next, and the settings. Throws a DatabaseError if no gateway could run. */
export async function checkGateway(environment: Environment, { all = false }: CheckOptions = {}): Promise<void> {
  const config = configOf(environment);
  const { databaseUrl, dataDir } = config;
  const found = new Findings();
  await inspectAddress(config, found);
  if (databaseUrl !== undefined) await inspectAt(databaseUrl, config, found);
  else if (!(await hasCluster(dataDir)))
    found.note(`there is no embedded PostgreSQL in ${dataDir} yet; serve makes it`);
  else {
    const server = await startEmbedded({ dataDir });
    found.ok(`the embedded PostgreSQL in ${dataDir} ${server.wasRunning ? 'runs' : 'can be started'}`);
    await inspectAt(server.url, config, found).finally(server.stop);
  }
  const problems = found.print();
  printSettings(environment, config, all);
  if (problems > 0)
    throw new DatabaseError(problems === 1 ? '1 problem was found.' : `${problems} problems were found.`);
}

/** Listens for a moment. */
async function inspectAddress(config: Config, { ok, note, problem }: Findings): Promise<void> {
  try {
    await tryListening(config);
    ok(`this machine can listen on ${config.host}, port ${config.port}`);
  } catch (error) {
    if (error instanceof AddressTaken) note(`unless a gateway is running: ${error.message}`);
    else if (error instanceof ConfigError) problem(error.message);
    else throw error;
  }
}

async function inspectAt(url: string, config: Config, found: Findings): Promise<void> {
  const { databaseTimeouts: timeouts } = config;
  const address = new URL(url).host || 'the local socket';
  const unused = unusedParameters(url);
  if (unused) found.note(unused);
  let isConnected = false;
  const inspect = async (client: SessionClient) => {
    isConnected = true;
    await inspectServer(client, { url, address }, config, found);
  };
  await withTimedClient(url, timeouts.connect, inspect, limitsOf(timeouts)).catch((error) => {
    const reason = reasonOf(error);
    const [, parameter] = /unsupported startup parameter:? (?:in options: )?(\S+)/.exec(reason) ?? [];
    if (isConnected) found.problem(`${address} does not answer what it is asked: ${reason}`);
    else if (parameter === undefined) found.problem(`${address} cannot be reached: ${reason}. Check DATABASE_URL`);
    else found.problem(`the pooler at ${address} refuses the parameter ${parameter}: leave it out of DATABASE_URL`);
  });
}

interface At {
  url: string;
  address: string;
}

async function inspectServer(client: SessionClient, at: At, config: Config, found: Findings): Promise<void> {
  const { problem, note, ok } = found;
  const server = await factsOf(client);
  if (server.major < 14) return problem(`${at.address} has PostgreSQL ${server.version}; 14 or newer is needed`);
  ok(
    `${at.address} answers: PostgreSQL ${server.version}, ${server.role}${server.isPooled ? ', behind a pooler' : ''}`,
  );
  await inspectEncryption(client, at, found);
  if (server.encoding !== 'UTF8')
    return problem(`the database has the encoding ${server.encoding}, and must have UTF8. ${remedyOfEncoding}`);
  const misplaced = schemaProblem(server.schema, server.user);
  if (misplaced) return problem(misplaced);
  if (server.role !== 'primary') return problem('it accepts no writes');
  for (const { name, value, meant } of server.settings)
    (name === 'extra_float_digits' ? problem : note)(
      `${name} is ${value} for this role, and should be ${meant}: npx goalpost roles prints the SQL, as ALTER ROLE ${server.user} SET ${name} = ${meant}`,
    );
  if (!server.isDurable)
    note(
      'synchronous_commit is off: if the server crashes, changes of its last moments are lost that were answered as made',
    );
  for (const { name, version, now, renewal } of server.collations)
    note(
      `the collation ${name} had version ${version} when its indexes were made, and has ${now}: texts may sort in another order, and indexes miss rows. As the owner, run REINDEX DATABASE ${server.database}; ${renewal}`,
    );
  if (server.isPooled)
    note(
      'after a restart of PostgreSQL, a PgBouncer refuses everybody for 15 seconds, unless it has server_login_retry = 1: see there, as this cannot be read here',
    );
  if (server.isPooled && config.preparedStatements && (await losesNames(at.url, config.databaseTimeouts.connect)))
    problem(
      'the pooler loses prepared statements: set PREPARED_STATEMENTS=off, or in PgBouncer from 1.21 on max_prepared_statements',
    );
  const isUsable = await inspectTables(client, at, config, found);
  const full = await refusalOf(client, 'spill');
  if (full === undefined) ok('the server can write to its disk');
  else
    problem(
      `a sort on the disk of the server fails: ${full}. If the disk is full, reading still works; changes fail with 503`,
    );
  const needed =
    config.poolSize + maintenancePoolSize + (config.rateLimit.store === 'postgres' ? rateLimitPoolSize : 0);
  const connections = `one gateway takes up to ${needed} connections; the server allows ${server.most}, and has ${server.used} now`;
  if (needed > server.most) problem(`${connections}. Lower DATABASE_POOL_SIZE, or raise max_connections`);
  else ok(connections);
  if (isUsable) await inspectContent(at, config, found);
}

/** Whether the connection is encrypted, as far as the other end, and how sure that end is the right one. */
async function inspectEncryption(client: SessionClient, { address }: At, { ok, note }: Findings): Promise<void> {
  const { tls, isVerified, host, isAtServer } = await encryptionOf(client);
  const connection = `the connection to ${address} is`;
  const advice = 'set sslmode=verify-full and sslrootcert in DATABASE_URL';
  const beyond =
    isAtServer === (tls !== undefined)
      ? ''
      : `. A pooler or proxy there goes on to PostgreSQL with${tls ? 'out' : ''} TLS`;
  if (tls && isVerified) ok(`${connection} encrypted (${tls}); the certificate of the server is verified${beyond}`);
  else if (tls)
    note(`${connection} encrypted (${tls}); the certificate of the server is not verified: ${advice}${beyond}`);
  else if (isLoopback(host) || host.startsWith('/'))
    ok(`${connection} not encrypted; it stays on this machine${beyond}`);
  else note(`${connection} not encrypted: ${advice}${beyond}`);
}

/** Whether there are tables, and who may do what with them. Returns whether this role can use them. */
async function inspectTables(client: SessionClient, { url }: At, config: Config, found: Findings): Promise<boolean> {
  const { problem, next, ok, note } = found;
  const isOwn = config.databaseUrl !== undefined;
  try {
    const pending = await pendingMigrations(url, migrationsDirectory);
    if (pending.length > 0 && !isOwn) ok('it is not migrated yet: the gateway and the commands do so themselves');
    if (pending.length > 0 && isOwn) {
      const refusal = await refusalOf(client, 'create');
      const missing = `it is not migrated: it lacks ${listed(pending)}`;
      const owner = Object.assign(new URL(url), { username: 'goalpost_owner', password: 'password' });
      problem(
        refusal === undefined
          ? missing
          : `${missing}, and this role may not migrate: ${refusal}. The role that owns the tables may`,
      );
      next(`${refusal === undefined ? '' : `DATABASE_URL=${shellWord(owner.href)} `}npx goalpost migrate`);
    }
    if (pending.length > 0) return false;
    ok('it is migrated');
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    problem(error.message);
    return false;
  }
  // The embedded database has no other role.
  if (!isOwn) return true;
  const own = await privilegesOf(client);
  if (!own) return false;
  const sql = `npx goalpost roles --owner ${shellWord(own.owner)} --gateway ${shellWord(own.user)} prints the SQL`;
  if (own.missing.length > 0) problem(`this role lacks ${listed(own.missing)}. ${sql}`);
  else ok('this role may write');
  if (own.excessive.length > 0)
    note(
      `this role may do more than a gateway needs: ${listed(own.excessive)}. npx goalpost roles prints SQL for one that may not`,
    );
  if (config.applicationRole !== undefined)
    inspectApplication(config.applicationRole, await privilegesOf(client, config.applicationRole), found);
  return own.missing.length === 0;
}

/** Whether the role of the main application may do what an application needs, and no more. */
function inspectApplication(role: string, privileges: Privileges | undefined, { problem, note, ok }: Findings): void {
  if (!privileges) {
    problem(
      `the role ${role} (APPLICATION_ROLE) does not exist. npx goalpost roles --application ${shellWord(role)} prints the SQL; add --owner and --gateway if those roles have other names`,
    );
    return;
  }
  const { missing, excessive, owner } = privileges;
  const isOfTables = [...missing, ...excessive].every((each) => / on (?!the (database|schema) )/.test(each));
  const hint = isOfTables
    ? `npx goalpost migrate as the owner of the tables, ${owner}, and with APPLICATION_ROLE sets its privileges`
    : `npx goalpost roles --owner ${shellWord(owner)} --application ${shellWord(role)} prints the SQL; add --gateway if that role has another name`;
  if (missing.length > 0) problem(`the application's role ${role} lacks ${listed(missing)}. ${hint}`);
  else ok(`the application's role ${role} may write`);
  if (excessive.length > 0)
    note(`the application's role ${role} may do more than an application needs: ${listed(excessive)}. ${hint}`);
}

/** What is more open than its space, the last numbered file of each company and the one refused after it, what to run next. */
async function inspectContent({ url }: At, config: Config, { ok, note, next }: Findings): Promise<void> {
  const { databaseTimeouts: timeouts, preparedStatements } = config;
  const db = openModels({ url, poolSize: 1, preparedStatements, timeouts });
  const timeText = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z');
  try {
    const unknown = await unknownValues(db);
    if (unknown.length > 0)
      note(
        `values that this version does not know, as a newer one has added them: ${listed(unknown)}. Rows that have one are shown in part, and their events are not sent: run the newer version`,
      );
    for (const { kind, ids } of await openerThanSpaces(db))
      note(`${kind} that more people may see or edit than their space: ${listed(ids.map(printable))}`);
    for (const { companyId, revision, importedAt, refusedAt, refusedReason } of await lastImports(db)) {
      const file = `${printable(companyId)} has file ${revision ?? 'without a number'}, of ${timeText(importedAt)}`;
      if (refusedAt) note(`${file}; a file was refused at ${timeText(refusedAt)}: ${printable(refusedReason ?? '')}`);
      else ok(file);
    }
    for (const command of await nextCommands(db)) next(command);
  } finally {
    await db.$disconnect();
  }
}

/** Values of enums that a newer version has added. */
async function unknownValues(db: OwnDatabase): Promise<string[]> {
  const known = new Map(
    Object.entries(enums).map(([name, values]) => [snakeCase(name), Object.values<string>(values)]),
  );
  const rows = await db.$queryRaw<{ type: string; value: string }[]>(sql`
    SELECT t.typname AS type, e.enumlabel AS value FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
    WHERE t.typnamespace = 'public'::regnamespace ORDER BY t.typname, e.enumsortorder`);
  return rows.flatMap(({ type, value }) => (known.get(type)?.includes(value) === false ? `${value} of ${type}` : []));
}

/** Goals and projects with more access than the space that they are in, the first of each kind. */
async function openerThanSpaces(db: OwnDatabase): Promise<{ kind: string; ids: string[] }[]> {
  const found = [];
  for (const kind of ['goals', 'projects']) {
    const rows = await db.$queryRaw<{ id: string }[]>(sql`
      SELECT r.id FROM ${rawSql(kind)} r JOIN spaces s ON s.company_id = r.company_id AND s.id = r.space_id
      WHERE r.removed_at IS NULL AND (r.company_level > s.company_level OR r.space_level > s.space_level)
      ORDER BY r.company_id, r.id LIMIT 1000`);
    if (rows.length > 0) found.push({ kind, ids: rows.map(({ id }) => id) });
  }
  return found;
}

function printSettings(environment: Environment, { misspelled }: Config, all: boolean): void {
  const printed = effectiveSettings(environment).filter(({ source }) => all || source !== 'default');
  const widest = Math.max(...printed.map(({ name }) => name.length));
  print(`\nSettings${all ? '' : ' (--all prints those with their defaults, too)'}`);
  for (const { name, value = 'none', source } of printed) {
    const where = source === 'default' ? '' : ` (${source === '.env' ? 'in .env' : 'in the environment'})`;
    print(`  ${name.padEnd(widest)}  ${value}${where}`);
  }
  for (const { name, nearest } of misspelled) print(`  ${name} is not a setting. Did you mean ${nearest}?`);
}
