import { createServer } from 'node:http';
import { applicationTables, databaseTables, historyTables, openModels } from '../database.js';
import { maintenancePoolSize } from '../gateway.js';
import {
  type InspectedServer,
  inspectServer,
  pendingOn,
  privilegesAt,
  spaceRefusal,
  writeRefusal,
} from '../platform/administration/index.js';
import { hasCluster, startEmbedded } from '../platform/embedded/index.js';
import { readPersistedDocuments } from '../platform/graphql/index.js';
import { isLoopback } from '../platform/http/index.js';
import { rateLimitPoolSize } from '../platform/limits/index.js';
import { DatabaseError, type Encryption } from '../platform/postgres/index.js';
import { listen } from '../platform/process/index.js';
import { ConfigError, type Environment } from '../platform/settings/index.js';
import { printable } from '../platform/telemetry/index.js';
import { schema } from '../schema/index.js';
import { type Config, configOf, type EffectiveSetting, effectiveSettings } from '../settings.js';
import { lastImports } from '../workspace/lastImports.js';
import { nextCommands } from './nextCommands.js';
import { print } from './print.js';

/** One thing that `check` has found. */
interface Finding {
  kind: 'ok' | 'note' | 'problem' | 'next';
  text: string;
}

const fine = (text: string): Finding => ({ kind: 'ok', text });
/** What works, and could be better. */
const note = (text: string): Finding => ({ kind: 'note', text });
const problem = (text: string): Finding => ({ kind: 'problem', text });
/** What to run now. */
const next = (text: string): Finding => ({ kind: 'next', text });

const verified = fine('the certificate of the server is verified');
const notVerified = note(
  'the certificate of the server is not verified: set sslmode=verify-full and sslrootcert in DATABASE_URL',
);

/** Whether a connection is encrypted, as far as the other end, and how sure that end is the right one. */
function encryptionFinding(address: string, { tls, isVerified, host, isAtServer }: Encryption): Finding {
  const connection = `the connection to ${address} is`;
  if (tls) {
    const { kind, text } = isVerified ? verified : notVerified;
    const beyond = isAtServer ? '' : '. A pooler or proxy there goes on to PostgreSQL without TLS';
    return { kind, text: `${connection} encrypted (${tls}); ${text}${beyond}` };
  }
  const beyond = isAtServer ? '. A pooler or proxy there goes on to PostgreSQL with TLS' : '';
  return isLoopback(host) || host.startsWith('/')
    ? fine(`${connection} not encrypted; it stays on this machine${beyond}`)
    : note(`${connection} not encrypted: set sslmode=verify-full and sslrootcert in DATABASE_URL${beyond}`);
}

/** Missing privileges that are named. */
const shownAtMost = 3;

/** Whether the primary is migrated, what the gateway's role may do there, and whether it has enough connections. */
async function inspectPrimary(primary: InspectedServer, config: Config): Promise<Finding[]> {
  const migrated = await migrationsOf(primary, config);
  const role = migrated.isUsable ? await roleOf(primary, { isMigrated: !migrated.isPending }, config) : [];
  const application = migrated.isPending ? [] : await applicationOf(primary, config);
  const isReadable = !migrated.isPending && role.every(({ kind }) => kind !== 'problem');
  const content = isReadable ? await contentOf(primary, config) : [];
  return [
    ...migrated.findings,
    ...role,
    ...application,
    await spaceOf(primary, config),
    connectionsOf(primary, config),
    ...content,
  ];
}

async function spaceOf(primary: InspectedServer, { databaseTimeouts }: Config): Promise<Finding> {
  const refusal = await spaceRefusal(primary, databaseTimeouts.connect);
  return refusal === undefined
    ? fine('the server can write to its disk')
    : problem(`the server cannot write to its disk: ${refusal}. Reading still works; changes fail with 503`);
}

/** The last numbered file of each company, and the file that was refused after it; and what a new database needs. */
async function contentOf({ url }: InspectedServer, { databaseTimeouts: timeouts, preparedStatements }: Config) {
  const db = openModels({ url, poolSize: 1, preparedStatements, timeouts });
  try {
    const timeText = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z');
    const commands = await nextCommands(db);
    const files = (await lastImports(db)).map(({ companyId, revision, importedAt, refusedAt, refusedReason }) => {
      const text = `${printable(companyId)} has file ${revision ?? 'without a number'}, of ${timeText(importedAt)}`;
      return refusedAt
        ? note(`${text}; a file was refused at ${timeText(refusedAt)}: ${printable(refusedReason ?? '')}`)
        : fine(text);
    });
    return [...files, ...commands.map(next)];
  } finally {
    await db.$disconnect();
  }
}

/** Whether the role may do what the gateway needs, and no more. The embedded database has no other role. */
async function roleOf(
  primary: InspectedServer,
  { isMigrated }: { isMigrated: boolean },
  { databaseUrl, databaseTimeouts }: Config,
): Promise<Finding[]> {
  const refusal = await writeRefusal(
    primary,
    { table: isMigrated ? databaseTables.tenants : undefined },
    databaseTimeouts.connect,
  );
  // Of a database without tables, `migrationsOf` says what this role may do.
  if (!isMigrated) return [];
  if (refusal !== undefined) return [problem(`this role cannot write: ${refusal}`)];
  const writable = fine('this role may write');
  if (databaseUrl === undefined) return [writable];
  const asked = { table: databaseTables.tenants, history: historyTables };
  const found = await privilegesAt(primary.url, asked, databaseTimeouts.connect);
  if (!found) return [writable];
  const { missing, excessive, owner, user } = found;
  const lacking = `this role lacks ${shown(missing)}. npx goalpost roles --owner ${owner} --gateway ${user} prints the SQL`;
  const tooStrong = `this role may do more than a gateway needs: ${excessive.join(', ')}. npx goalpost roles prints SQL for one that may not`;
  return [missing.length > 0 ? problem(lacking) : writable, ...(excessive.length > 0 ? [note(tooStrong)] : [])];
}

/** The first ones, and how many more there are. */
function shown(privileges: string[]): string {
  const { length } = privileges;
  const others = length > shownAtMost ? `, and ${length - shownAtMost} more` : '';
  return `${privileges.slice(0, shownAtMost).join(', ')}${others}`;
}

/** Whether the role of the main application may do what an application needs, and no more. */
async function applicationOf(
  primary: InspectedServer,
  { applicationRole: role, databaseUrl, databaseTimeouts }: Config,
): Promise<Finding[]> {
  if (role === undefined || databaseUrl === undefined) return [];
  const asked = {
    table: databaseTables.tenants,
    history: historyTables,
    application: { role, tables: applicationTables },
  };
  const found = await privilegesAt(primary.url, asked, databaseTimeouts.connect);
  if (!found) {
    const hint = `npx goalpost roles --application ${role} prints the SQL; add --owner and --gateway if those roles have other names`;
    return [problem(`the role ${role} (APPLICATION_ROLE) does not exist. ${hint}`)];
  }
  const { missing, excessive, owner } = found;
  const isOfTables = [...missing, ...excessive].every((each) => / on (?!the (database|schema) )/.test(each));
  const hint = isOfTables
    ? `npx goalpost migrate as the owner of the tables, ${owner}, and with APPLICATION_ROLE sets its privileges`
    : `npx goalpost roles --owner ${owner} --application ${role} prints the SQL; add --gateway if that role has another name`;
  const lacking = `the application's role ${role} lacks ${shown(missing)}. ${hint}`;
  const tooStrong = `the application's role ${role} may do more than an application needs: ${shown(excessive)}. ${hint}`;
  return [
    missing.length > 0 ? problem(lacking) : fine(`the application's role ${role} may write`),
    ...(excessive.length > 0 ? [note(tooStrong)] : []),
  ];
}

interface Migrated {
  isPending: boolean;
  isUsable: boolean;
  findings: Finding[];
}

async function migrationsOf(primary: InspectedServer, config: Config): Promise<Migrated> {
  try {
    const pending = await pendingOn(primary);
    const isPending = pending.length > 0;
    if (!isPending) return { isPending, isUsable: true, findings: [fine('it is migrated')] };
    if (config.databaseUrl) return { isPending, isUsable: true, findings: await unmigrated(primary, pending, config) };
    const text = 'it is not migrated yet: the gateway and the commands do so themselves';
    return { isPending, isUsable: true, findings: [fine(text)] };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return { isPending: true, isUsable: false, findings: [problem(error.message)] };
  }
}

/** What is missing, and how this role, or another one, adds it. */
async function unmigrated(primary: InspectedServer, pending: string[], { databaseTimeouts }: Config) {
  const missing = `it is not migrated: it lacks ${shown(pending)}`;
  const refusal = await writeRefusal(primary, { table: undefined }, databaseTimeouts.connect);
  if (refusal === undefined) return [problem(missing), next('npx goalpost migrate')];
  const url = new URL(primary.url);
  Object.assign(url, { username: 'goalpost_owner', password: '' });
  const owner = `DATABASE_URL=${url.href.replace('goalpost_owner@', 'goalpost_owner:password@')}`;
  return [
    problem(`${missing}, and this role may not migrate: ${refusal}. The role that owns the tables may`),
    next(`${owner} npx goalpost migrate`),
  ];
}

function connectionsOf({ connections: { most, used } }: InspectedServer, config: Config): Finding {
  const { poolSize, rateLimit } = config;
  const needed = poolSize + maintenancePoolSize + (rateLimit.store === 'postgres' ? rateLimitPoolSize : 0);
  const text = `one gateway takes up to ${needed} connections; the server allows ${most}, and has ${used} now`;
  return needed > most ? problem(`${text}. Lower DATABASE_POOL_SIZE, or raise max_connections`) : fine(text);
}

/** Says what the server of the database says, also the embedded one, which it starts for that. */
async function inspectDatabase(config: Config): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) return inspectAt(databaseUrl, config);
  if (!(await hasCluster(dataDir))) return [note(`there is no embedded PostgreSQL in ${dataDir} yet; serve makes it`)];
  const server = await startEmbedded({ dataDir, share: true });
  try {
    return [fine(`the embedded PostgreSQL runs; its data is in ${dataDir}`), ...(await inspectAt(server.url, config))];
  } finally {
    await server.stop();
  }
}

async function inspectAt(url: string, config: Config): Promise<Finding[]> {
  const server = await inspectServer(url, config.databaseTimeouts);
  if ('failure' in server)
    return [problem(`${server.address} cannot be reached: ${server.failure}. Check DATABASE_URL`)];
  const { address, version, role, encryption } = server;
  const isTooOld = Number.parseInt(version, 10) < 14;
  const found = isTooOld
    ? problem(`${address} has PostgreSQL ${version}; 14 or newer is needed`)
    : fine(`${address} answers: PostgreSQL ${version}, ${role}`);
  const findings = [found, encryptionFinding(address, encryption)];
  if (role !== 'primary') return [...findings, problem('it accepts no writes')];
  return [...findings, ...(await inspectPrimary(server, config))];
}

export interface CheckOptions {
  /** Whether to print also the settings that have their defaults. */
  all?: boolean;
}

/**
 * Prints what is wrong, what works, what to run next, and the settings, without passwords. Throws a ConfigError for a bad
 * setting, and a DatabaseError if the gateway could not run on this database now.
 */
export async function checkGateway(environment: Environment, { all = false }: CheckOptions = {}): Promise<void> {
  const config = configOf(environment);
  if (config.persistedDocuments.path) readPersistedDocuments(config.persistedDocuments.path, schema);
  const findings = [...(await inspectHost(config)), ...(await inspectDatabase(config))];
  printFindings(findings);
  printSettings(effectiveSettings(environment), config, all);
  const problems = findings.filter(({ kind }) => kind === 'problem').length;
  if (problems > 0)
    throw new DatabaseError(problems === 1 ? '1 problem was found.' : `${problems} problems were found.`);
}

/** What is wrong is at the top, and what to do about it below it. */
const order: Finding['kind'][] = ['problem', 'next', 'note', 'ok'];

function printFindings(findings: Finding[]): void {
  print('Found');
  for (const kind of order)
    for (const { text } of findings.filter((each) => each.kind === kind))
      print(`  ${kind.padEnd('problem'.length)}  ${text}`);
}

/** Listens for a moment, on any port, since a gateway may be running on the right one. */
async function inspectHost({ host }: Config): Promise<Finding[]> {
  const server = createServer();
  try {
    await listen(server, { host, port: 0 });
    return [fine(`this machine can listen on ${host}`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem(error.message)];
  } finally {
    server.close();
  }
}

function printSettings(settings: EffectiveSetting[], { misspelled }: Config, all: boolean): void {
  const printed = settings.filter(({ source }) => all || source !== 'default');
  const widest = Math.max(...printed.map(({ name }) => name.length));
  print(`\nSettings${all ? '' : ' (--all prints those with their defaults, too)'}`);
  for (const { name, value = 'none', source } of printed) {
    const where = source === 'default' ? '' : ` (${source === '.env' ? 'in .env' : 'in the environment'})`;
    print(`  ${name.padEnd(widest)}  ${value}${where}`);
  }
  for (const { name, nearest } of misspelled) print(`  ${name} is not a setting. Did you mean ${nearest}?`);
}
