import { spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { applyMigrations, migrationsDirectory } from '../../../src/platform/administration/migrations.js';
import { findBinaries } from '../../../src/platform/embedded/cluster.js';
import { freePort, serverAccount } from '../../../src/platform/embedded/server.js';
import { blocksOf, sectionOf, textOf } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { query } from '../../support/query.js';
import { restPaths, World } from '../../support/world.js';

/** What a base backup leaves out: it belongs to the running server. */
const transient = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const ofTheServer = ['postmaster.pid', 'postmaster.opts'];

/** What `pg_basebackup --wal-method none --checkpoint fast` does, which the embedded PostgreSQL does not have. */
async function baseBackup(url: string, data: string, copy: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('drill', true)");
    const isCopied = (file: string) =>
      !ofTheServer.includes(basename(file)) && !transient.some((name) => file.startsWith(join(data, name, '/')));
    await cp(data, copy, { recursive: true, filter: isCopied });
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(copy, 'backup_label'), rows[0].labelfile);
    await rm(join(copy, 'pg_wal'), { recursive: true, force: true });
    await mkdir(join(copy, 'pg_wal', 'archive_status'), { recursive: true });
  } finally {
    await client.end();
  }
}

const page = sectionOf(textOf('docs/database.md'), 'Backups');
const [, , , archiving, backingUp, switching, restoring, restoringTo] = blocksOf(page, 'sh').map((script) =>
  script.trim(),
);
const [makingRole = ''] = blocksOf(page, 'sql');

// BACKUP_BIN names the programs of an installed PostgreSQL. The embedded one has no client programs: the test stands in.
const installed = process.env.BACKUP_BIN;
const account = serverAccount();
let folder: string;
let url: string;
let backupUrl: string;
let world: World;
let environment: NodeJS.ProcessEnv;
const data = () => join(folder, 'data');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'goalpost-backups-'));
  if (account.uid && account.gid) chownSync(folder, account.uid, account.gid);
  const found = installed ? undefined : await findBinaries(account, folder);
  const bin = installed ?? join(found?.directory ?? '', 'bin');
  environment = { ...found?.env, LC_ALL: 'C', TZ: 'UTC', PATH: `${bin}:${process.env.PATH}`, PGDATA: data() };
  shellSync(`initdb -U postgres -A trust -E UTF8 --no-sync --wal-segsize=1 > /dev/null`);
  const port = await freePort();
  const settings = [`port = ${port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", 'fsync = off'];
  appendFileSync(join(data(), 'postgresql.conf'), `${settings.join('\n')}\n`);
  shellSync('pg_ctl start -w -l "$PGDATA.log"');
  url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  await query(url, makingRole);
  backupUrl = `postgresql://goalpost_backup@127.0.0.1:${port}/postgres`;
  environment.BACKUP_URL = backupUrl;
  await applyMigrations(url, migrationsDirectory);
  world = new World(openModels({ url, poolSize: 4, preparedStatements: true }), url);
});

afterAll(async () => {
  await world?.close();
  shellSync('pg_ctl stop -m immediate || true');
  await rm(folder, { recursive: true, maxRetries: 20 });
});

/** Runs a script as PostgreSQL's account. */
function shellSync(script: string): void {
  const { status, stderr } = spawnSync('/bin/sh', ['-euc', script], {
    ...account,
    cwd: '/',
    env: environment,
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new Error(
      `${script}\n${stderr}\n${existsSync(`${data()}.log`) ? readFileSync(`${data()}.log`, 'utf8') : ''}`,
    );
}

/** Runs a script of the document, in this folder instead of /srv/backups. */
async function paste(script = '', replaced: Record<string, string> = {}): Promise<void> {
  const meant = Object.entries({ '/srv/backups': `${folder}/backups`, ...replaced }).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    script,
  );
  if (!installed && meant.startsWith('psql ')) return void (await query(backupUrl, /-c '(.*)'/.exec(meant)?.[1] ?? ''));
  if (!installed && meant.startsWith('pg_basebackup ')) {
    const copy = /--pgdata (\S+)/.exec(meant)?.[1] ?? '';
    await baseBackup(url, data(), copy);
    if (account.uid) spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, copy]);
    return;
  }
  shellSync(meant);
}

/** A hash of every table. The last use of a token is written later than its request. */
async function hashes(at = url): Promise<Record<string, unknown>> {
  const tables = await query(at, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
  const all: Record<string, unknown> = {};
  for (const { name } of tables) {
    const row = `md5((to_jsonb(t) - 'last_used_at')::text)`;
    const [found] = await query(at, `SELECT count(*)::int, md5(string_agg(${row}, '' ORDER BY ${row})) FROM ${name} t`);
    all[`${name}`] = found;
  }
  return all;
}

/** Restores by a script of the document, and waits until the recovery has finished. */
async function restore(script = '', replaced: Record<string, string> = {}): Promise<void> {
  await paste(script, replaced);
  await eventually(() => query(url, 'SELECT 1'));
}

/** Has the log archived up to now. */
async function archive(): Promise<void> {
  const [current] = await query(url, 'SELECT pg_walfile_name(pg_current_wal_lsn()) AS file');
  await paste(switching);
  const isArchived = async () =>
    (await query(url, 'SELECT last_archived_wal >= $1 AS answer FROM pg_stat_archiver', [current?.file]))[0]?.answer;
  await eventually(async () => expect(await isArchived()).toBe(true));
}

test('the roles of a gateway may make no backup, the role for that may', async () => {
  const may =
    "SELECT rolreplication AS replicates, has_function_privilege(rolname, 'pg_switch_wal()', 'EXECUTE') AS switches FROM pg_roles WHERE rolname = $1";
  expect(await query(url, may, ['goalpost_backup'])).toEqual([{ replicates: true, switches: true }]);
  expect(await query(backupUrl, 'SELECT count(*)::int FROM api_tokens')).toHaveLength(1);
  await expect(query(backupUrl, 'DELETE FROM api_tokens')).rejects.toThrow('permission denied');
});

test('a restore drill brings back every row, up to the last archived moment or to the one before a mistake', async () => {
  const { caller, space, hub } = await world.teamWithHub('space');
  const write = async () => {
    const [goal, document] = [await world.closedGoal(space), await world.document(hub, caller)];
    const restored = { document_id: document.id, version_number: 1, expected_current_version: 3 };
    const answers = [
      await world.post(restPaths.reopenGoal, caller.token, { id: goal.id, message: 'Again' }),
      await world.post(restPaths.restoreDocumentVersion, caller.token, restored, { 'idempotency-key': document.id }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  };
  /** The gateway has the same connections as before: they may have to be made anew. */
  const serves = () => eventually(write);

  await write();
  await paste(archiving);
  await serves();
  await paste(backingUp);
  await write();
  const beforeMistake = await hashes();
  const [moment] = await query(url, 'SELECT clock_timestamp()::text AS now');
  await sleep(50);
  await query(url, 'DELETE FROM notifications; UPDATE goals SET name = id');
  const last = await hashes();
  expect(last).not.toEqual(beforeMistake);
  await archive();

  process.kill(Number.parseInt(await readFile(join(data(), 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
  await restore(restoring);
  expect(await hashes()).toEqual(last);
  await serves();

  await restore(restoringTo, { '2026-11-22 09:30:00+00': `${moment?.now}` });
  expect(await hashes()).toEqual(beforeMistake);
  await serves();
});
