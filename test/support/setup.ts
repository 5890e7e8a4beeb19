import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../src/platform/administration/migrations.js';
import { createRoles } from '../../src/platform/administration/roles.js';
import { startEmbedded } from '../../src/platform/embedded/open.js';
import { startPgbouncer, usesPgbouncer } from './pgbouncer.js';
import { query } from './query.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where tests create databases, and the migrated one they copy. */
    database: {
      adminUrl: string;
      template: string;
      /** The role of the gateways. */
      gateway: { name: string; password: string };
      pgbouncerPort: number | null;
      /** Where {@link oncePerRun} notes what is done. */
      onceUrl: string;
    };
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const migrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** Builds what gateways read. The proofs also start commands; of the fast suite, the first test that does builds them. */
async function build(all: boolean): Promise<void> {
  await promisify(execFile)(process.execPath, ['tools/build/build.mjs', ...(all ? [] : ['--pages'])], { cwd: root });
  if (all) process.env.COMMANDS_BUILT = 'on';
}

/** One server per run (or TEST_DATABASE_URL) with one migrated database to copy; returns the teardown. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isFast = project.name === 'product';
  const built = build(!isFast);
  const external = process.env.TEST_DATABASE_URL;
  const server = external ? externalServer(external) : await ownServer(isFast ? await memory() : tmpdir());
  const template = `goalpost_test_${randomBytes(6).toString('hex')}`;
  const once = `${template}_once`;
  const owner = { name: `${template}_owner`, password: randomBytes(12).toString('hex') };
  const gateway = { name: `${template}_gateway`, password: randomBytes(12).toString('hex') };
  try {
    await query(server.url, `CREATE DATABASE ${template}`);
    await query(server.url, `CREATE DATABASE ${once}`);
    await query(at(server.url, once), 'CREATE TABLE once (name text PRIMARY KEY, result jsonb NOT NULL)');
    const url = new URL(at(server.url, template));
    await createRoles(url.href, { owner, gateway });
    Object.assign(url, { username: owner.name, password: owner.password });
    if (existsSync(migrations)) await applyMigrations(url.href, migrations);
    await built;
  } catch (error) {
    await server.release(template);
    throw error;
  }
  const pgbouncer = usesPgbouncer ? await startPgbouncer(server.url, gateway) : null;
  // The gateways that tests start as a command read it.
  if (pgbouncer) process.env.PREPARED_STATEMENTS = 'off';
  const [adminUrl, onceUrl, pgbouncerPort] = [server.url, at(server.url, once), pgbouncer?.port ?? null];
  project.provide('database', { adminUrl, template, gateway, pgbouncerPort, onceUrl });
  return async () => {
    await pgbouncer?.stop();
    await server.release(template);
  };
}

const at = (server: string, database: string) => Object.assign(new URL(server), { pathname: database }).href;

const prefix = 'goalpost-test-';

/** A folder in memory if it has room: databases, each of hundreds of files, come and go. */
async function memory(): Promise<string> {
  const folder = '/dev/shm';
  const room = await statfs(folder).catch(() => null);
  if (!room || room.bavail * room.bsize < 4 * 1024 ** 3) return tmpdir();
  // A run that was killed has left its data, whose server has ended since.
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(prefix))) {
    const left = join(folder, name);
    const age = Date.now() - ((await stat(left).catch(() => null))?.mtimeMs ?? Date.now());
    if (age > 60_000 && !existsSync(join(left, 'postgres/data/postmaster.pid')))
      // That of another user stays.
      await rm(left, { recursive: true, force: true }).catch(() => {});
  }
  return folder;
}

async function ownServer(parent: string) {
  const directory = await mkdtemp(join(parent, prefix));
  const { url, stop } = await startEmbedded({ dataDir: directory, throwaway: true });
  const release = async () => {
    await stop();
    await rm(directory, { recursive: true });
  };
  return { url, release };
}

function externalServer(url: string) {
  const release = async (prefix: string) => {
    const ours = await query(url, 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [prefix]);
    for (const { datname } of ours) await query(url, `DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
    const roles = await query(url, 'SELECT rolname FROM pg_roles WHERE starts_with(rolname, $1)', [prefix]);
    for (const { rolname } of roles) await query(url, `DROP ROLE ${rolname}`);
  };
  return { url, release };
}
