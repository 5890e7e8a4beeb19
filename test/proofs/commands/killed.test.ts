import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canNoticeGoneClients } from '../../../src/platform/postgres/session.js';
import { asAdministrator } from '../../support/database.js';
import { pathOf } from '../../support/documents.js';
import { builtMain } from '../../support/goalpost.js';
import { holding } from '../../support/holding.js';
import { usesPgbouncer } from '../../support/pgbouncer.js';
import { query } from '../../support/query.js';
import { temporaryDatabase, temporaryFolder } from '../../support/temporary.js';

const folder = await temporaryFolder();

/** A database with a token that may have done something. No gateway of the tests is connected to it. */
const database = await temporaryDatabase();
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
    await holding(url, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
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
  });
});

test('a server is asked to notice it only if it can', async () => {
  const servers: [string, number, boolean][] = [
    ['PostgreSQL 14.2 on x86_64-pc-linux-gnu, compiled by gcc', 140_002, true],
    ['PostgreSQL 18.4 on aarch64-unknown-linux-musl, compiled by clang', 180_004, true],
    ['PostgreSQL 13.9 on x86_64-pc-linux-gnu, compiled by gcc', 130_009, false],
    ['PostgreSQL 14.2 on aarch64-apple-darwin21.6.0, compiled by clang', 140_002, false],
    ['PostgreSQL 15.0 on aarch64-apple-darwin21.6.0, compiled by clang', 150_000, true],
    ['PostgreSQL 16.1 on amd64-portbld-freebsd14.0, compiled by clang', 160_001, true],
    ['PostgreSQL 16.1, compiled by Visual C++ build 1937, 64-bit', 160_001, false],
    ['PostgreSQL 17.0 on x86_64-windows, compiled by msvc-19.41.34120, 64-bit', 170_000, false],
  ];
  for (const [version, number, can] of servers) {
    const asked = canNoticeGoneClients
      .replaceAll('version()', `'${version}'`)
      .replace("current_setting('server_version_num')::int", `${number}`);
    expect(await query(url, `SELECT ${asked} AS can`)).toEqual([{ can }]);
  }
});
