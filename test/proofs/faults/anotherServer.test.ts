import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverAccount } from '../../../src/platform/embedded/server.js';
import { blocksOf, pathOf, sectionOf, textOf } from '../../support/documents.js';
import { builtMain, commandOutput, goalpost } from '../../support/goalpost.js';
import { startPostgres, startServer } from '../../support/postgres.js';
import { query } from '../../support/query.js';

// A PostgreSQL that is installed, older than the embedded one, which has no client programs.
const root = '/usr/lib/postgresql';
const [newest] = existsSync(root) ? readdirSync(root).sort().reverse() : [];
const bin = process.env.BACKUP_BIN ?? (newest && join(root, newest, 'bin'));

const backups = sectionOf(textOf('docs/database.md'), 'Backups');
const [exporting = '', dumping = '', restoring = ''] = blocksOf(backups, 'sh');
const [makingRole = ''] = blocksOf(backups, 'sql');

// Without it the tests are skipped; with CI=true they fail.
describe.skipIf(bin === undefined && process.env.CI !== 'true')('an installation', () => {
  const account = serverAccount();
  const env = { PATH: `${bin}:${process.env.PATH}`, LC_ALL: 'C', TZ: 'UTC' };
  const passwords = { OWNER_PASSWORD: 'o', GATEWAY_PASSWORD: 'g' };
  let folder: string;
  let source: Awaited<ReturnType<typeof startServer>>;
  let target: Awaited<ReturnType<typeof startPostgres>>;
  const at = (server: { url: string }, database: string, username?: string, password?: string) => {
    const url = Object.assign(new URL(server.url), { pathname: database });
    return Object.assign(url, username && { username, password }).href;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'goalpost-servers-'));
    const directory = join(folder, 'data');
    mkdirSync(directory);
    for (const path of [folder, directory]) if (account.uid && account.gid) chownSync(path, account.uid, account.gid);
    const made = spawnSync('initdb', ['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
      ...account,
      env,
      cwd: '/',
    });
    if (made.status !== 0) throw new Error(String(made.stderr));
    const binaries = { directory: dirname(bin ?? ''), major: '', env };
    source = await startServer({ directory, serverName: directory, password: '', account, binaries }, ['fsync=off']);
    target = await startPostgres();
    await query(source.url, 'CREATE DATABASE one');
    await commandOutput(['roles', '--yes'], { DATABASE_URL: at(source, 'one'), ...passwords });
    await commandOutput(['migrate'], { DATABASE_URL: at(source, 'one', 'goalpost_owner', 'o') });
    const gateway = { DATABASE_URL: at(source, 'one', 'goalpost_gateway', 'g') };
    await commandOutput(['import', pathOf('prisma/demo-workspace.json')], gateway);
  });

  afterAll(async () => {
    await target?.stop();
    await source?.stop();
    await rm(folder, { recursive: true, maxRetries: 20 });
  });

  test('is dumped, and comes back on another server of another major version, by the document', async () => {
    // The tables that a migration makes are empty, so that a dump of rows alone fits into them.
    expect(await query(at(source, 'one'), 'SELECT count(*)::int FROM confirmation_secrets')).toEqual([{ count: 0 }]);
    await query(at(source, 'one'), makingRole);
    // As a person runs it who has installed the package.
    writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${builtMain}" "$@"\n`);
    chmodSync(join(folder, 'npx'), 0o755);
    const places = {
      'goalpost_backup:password@127.0.0.1:5432': `goalpost_backup@${new URL(source.url).host}`,
      'postgres:password@127.0.0.1:5432': new URL(target.url).href.replace(/^.*:\/\/|\/postgres$/g, ''),
      '127.0.0.1:5432/goalpost': `${new URL(source.url).host}/one`,
      '127.0.0.1:5432': new URL(target.url).host,
      '/goalpost\n': '/one\n',
      '/srv/backups': folder,
    };
    const script = Object.entries(places).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      `${exporting}\n${dumping}\n${restoring}`,
    );
    const run = spawnSync('/bin/sh', ['-eu'], {
      input: script,
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: undefined, PATH: `${folder}:${env.PATH}` },
    });
    expect({ status: run.status, output: run.stdout + run.stderr }).toMatchObject({
      status: 0,
      output: expect.stringContaining('  ok       this role may write\n'),
    });
    const goals = (url: string) => query(url, 'SELECT * FROM goals ORDER BY id');
    expect(await goals(at(target, 'restored'))).toEqual(await goals(at(source, 'one')));
    const owners = `SELECT DISTINCT pg_get_userbyid(relowner) AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')`;
    expect(await query(at(target, 'restored'), owners)).toEqual([{ name: 'goalpost_owner' }]);
  });

  test('stays as it is when another one comes to its server, which needs roles of its own', async () => {
    await query(source.url, 'CREATE DATABASE two');
    const other = { DATABASE_URL: at(source, 'two'), OWNER_PASSWORD: 'x', GATEWAY_PASSWORD: 'y' };
    const before = await query(source.url, 'SELECT rolname, rolpassword FROM pg_authid ORDER BY 1');
    expect(await goalpost(['roles', '--yes'], other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the role goalpost_owner exists on this server already, and its password stays'),
    });
    expect(await query(source.url, 'SELECT rolname, rolpassword FROM pg_authid ORDER BY 1')).toEqual(before);
    await commandOutput(['roles', '--yes', '--owner', 'own', '--gateway', 'way'], other);
    await commandOutput(['migrate'], { DATABASE_URL: at(source, 'two', 'own', 'x') });
    for (const url of [at(source, 'two', 'way', 'y'), at(source, 'one', 'goalpost_gateway', 'g')])
      expect(await goalpost(['check'], { DATABASE_URL: url })).toMatchObject({ code: 0 });
  });

  test.each([['migrate'], ['import', pathOf('prisma/demo-workspace.json')], ['serve'], ['check'], ['token', 'list']])(
    'is not made in a schema that comes before public: %s',
    async (...command) => {
      await query(source.url, 'DROP DATABASE IF EXISTS three');
      await query(source.url, 'DROP ROLE IF EXISTS three');
      await query(source.url, 'CREATE ROLE three LOGIN SUPERUSER');
      await query(source.url, 'CREATE DATABASE three');
      const url = at(source, 'three', 'three', '');
      await query(url, 'CREATE SCHEMA three');
      const { code, stdout, stderr } = await goalpost(command, { DATABASE_URL: url, PORT: '0' });
      const told =
        'The tables must be in the schema public, but the schema three comes first: ALTER ROLE "three" SET search_path = public';
      expect({ code, text: stdout + stderr }).toEqual({ code: 1, text: expect.stringContaining(told) });
      expect(await query(url, "SELECT 1 FROM pg_tables WHERE schemaname IN ('three', 'public')")).toEqual([]);
    },
  );

  test('is not made in a database of another encoding', async () => {
    await query(source.url, "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    for (const command of ['migrate', 'check']) {
      const { code, stdout, stderr } = await goalpost([command], { DATABASE_URL: at(source, 'latin') });
      expect({ code, text: stdout + stderr }).toEqual({
        code: 1,
        text: expect.stringMatching(/the encoding (UTF8, not LATIN1|LATIN1, and must have UTF8)\. .*ENCODING 'UTF8'/),
      });
    }
  });
});
