import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { asAdministrator, createDatabase } from '../../support/database.js';
import { pathOf } from '../../support/documents.js';
import { builtMain } from '../../support/goalpost.js';
import { usesPgbouncer } from '../../support/pgbouncer.js';
import { query } from '../../support/query.js';

const folder = await mkdtemp(join(tmpdir(), 'goalpost-killed-'));

/** A database with a token that may have done something. No gateway of the tests is connected to it. */
const database = await createDatabase();
afterAll(() => database.drop());
afterAll(() => rm(folder, { recursive: true }));
const url = asAdministrator(database.url);
await query(
  url,
  `INSERT INTO companies (id, name) VALUES ('c', 'Ours');
   INSERT INTO people (company_id, id, full_name) VALUES ('c', 'p', 'Ann');
   INSERT INTO token_companies (company_id, hash) VALUES ('c', sha256('1'));
   INSERT INTO api_tokens (company_id, id, person_id, name, hash, last_four) VALUES ('c', 'k', 'p', 'mine', sha256('1'), 'abcd')`,
);

// PgBouncer has connections of its own to the server.
describe.skipIf(usesPgbouncer)('a command that is killed in the midst of a statement', () => {
  test.each([
    ['import', 'people', [pathOf('prisma/demo-workspace.json')]],
    ['export', 'companies', ['--company', 'c', join(folder, 'workspace.json')]],
    ['purge', 'resource_hub_files', ['--older-than', '1d', '--yes']],
    ['token undo', 'activities', ['k']],
    ['token list', 'api_tokens', []],
    ['migrate', '_prisma_migrations', []],
    ['check', '_prisma_migrations', []],
    ['serve', 'companies', []],
  ])('leaves none behind for five seconds: %s', async (command, table, args) => {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const waiting = async () => {
      const rows = await query(
        url,
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'`,
      );
      return rows.length;
    };
    // A gateway has limits for its own statements: none may be what ends this one.
    const limits = { DATABASE_TIMEOUT_MS: '60000', PORT: '0' };
    const child = spawn(process.execPath, [builtMain, ...command.split(' '), ...args], {
      env: { ...process.env, DATABASE_URL: url, ...limits },
      stdio: 'ignore',
    });
    const exited = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await exited;
    await expect.poll(waiting, { timeout: 5_000 }).toBe(0);
    await holder.query('ROLLBACK');
  });
});
