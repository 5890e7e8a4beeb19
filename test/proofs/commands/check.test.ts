import { createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { checkGateway } from '../../../src/commands/check.js';
import { freePort } from '../../../src/platform/embedded/server.js';
import { DatabaseError } from '../../../src/platform/postgres/index.js';
import { ConfigError } from '../../../src/platform/settings/configError.js';
import { holding } from '../../support/holding.js';
import { usesPgbouncer } from '../../support/pgbouncer.js';
import { query } from '../../support/query.js';
import { listening, temporaryDatabase } from '../../support/temporary.js';

/** What the command prints, and how it fails. */
async function checked(
  values: NodeJS.ProcessEnv,
  options?: { all: boolean },
): Promise<{ lines: string[]; error: unknown }> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(...text.split('\n')));
  const error = await checkGateway({ values, fromFile: new Set() }, options).then(
    () => undefined,
    (thrown) => thrown,
  );
  log.mockRestore();
  return { lines, error };
}

const found = (lines: string[]) => lines.slice(lines.indexOf('Found') + 1, lines.indexOf(''));

describe('goalpost check', async () => {
  const database = await temporaryDatabase();
  const { url } = database;

  test('says which numbered file each company has, and why a later one was refused', async () => {
    const row = (id: string, revision: string, refused = 'NULL, NULL') => `
      INSERT INTO companies (id, name) VALUES ('${id}', 'Acme');
      INSERT INTO imports (company_id, revision, digest, imported_at, refused_at, refused_reason)
      VALUES ('${id}', ${revision}, '', '2026-06-01T08:00:00Z', ${refused})`;
    const refused = "'2026-06-02T08:00:00Z', 'line 3, success (goal \"x\"): is required'";
    for (const sql of [row('acme', '12'), row('brew', '7', refused), row('once', 'NULL')]) await query(url, sql);
    const { lines, error } = await checked({ DATABASE_URL: database.gatewayUrl });
    await query(url, 'DELETE FROM imports');
    expect(error).toBeUndefined();
    expect(found(lines).filter((line) => line.includes(' has file '))).toEqual([
      '  note     brew has file 7, of 2026-06-01T08:00:00Z; a file was refused at 2026-06-02T08:00:00Z: line 3, success (goal "x"): is required',
      '  ok       acme has file 12, of 2026-06-01T08:00:00Z',
    ]);
  });

  test('says that a migrated database is in order, without its password', async () => {
    const { lines, error } = await checked({ DATABASE_URL: database.gatewayUrl, PORT: '8080' });
    expect(error).toBeUndefined();
    const settings = lines.slice(lines.indexOf(''));
    expect(settings.slice(1)).toEqual([
      'Settings (--all prints those with their defaults, too)',
      '  PORT          8080 (in the environment)',
      expect.stringMatching(/^ {2}DATABASE_URL +\S+ \(in the environment\)$/),
    ]);
    const all = (await checked({ DATABASE_URL: database.gatewayUrl, PORT: '8080' }, { all: true })).lines.join('\n');
    expect(all).toMatch(/^ {2}LOG_LEVEL +info$/m);
    expect(all).toMatch(/^ {2}APP_URL +http:\/\/127\.0\.0\.1:8080$/m);
    expect(all).toMatch(/^ {2}MAX_CONCURRENT_REQUESTS +10$/m);
    expect(all).toMatch(/^ {2}CORS_ORIGINS +none$/m);
    expect(lines.join('\n')).not.toContain(`:${new URL(database.gatewayUrl).password}@`);
    expect(found(lines)).toEqual([
      '  next     npx goalpost token create --person <id> --name <name> --write',
      '  ok       this machine can listen on 127.0.0.1, port 8080',
      expect.stringMatching(/^ {2}ok {7}\S+ answers: PostgreSQL \d+\S*.*, primary$/),
      expect.stringMatching(
        /^ {2}ok {7}the connection to 127\.0\.0\.1:\d+ is not encrypted; it stays on this machine$/,
      ),
      '  ok       it is migrated',
      '  ok       this role may write',
      '  ok       the server can write to its disk',
      expect.stringMatching(
        /^ {2}ok {7}one gateway takes up to 12 connections; the server allows \d+, and has \d+ now$/,
      ),
    ]);
  });

  test('counts the connections of other roles, which the role of the gateway may not look at', async () => {
    const { release } = await holding(url, 'SELECT');
    const [counted] = await query(url, 'SELECT sum(numbackends)::int AS used FROM pg_stat_database');
    const { lines } = await checked({ DATABASE_URL: database.gatewayUrl });
    await release();
    const used = Number(/allows \d+, and has (\d+) now/.exec(lines.join('\n'))?.[1]);
    // The server of the tests has connections of others, too, which come and go.
    expect(Number(counted?.used)).toBeGreaterThan(1);
    expect(used).toBeGreaterThan(1);
  });

  test('says that a database is not migrated, and that its pool is too large for the server', async () => {
    const empty = await temporaryDatabase();
    await query(empty.url, 'DROP SCHEMA public CASCADE');
    await query(empty.url, 'CREATE SCHEMA public');
    const settings = { DATABASE_URL: empty.url, DATABASE_POOL_SIZE: '1000', RATE_LIMIT_STORE: 'postgres' };
    const { lines, error } = await checked(settings);
    expect(error).toEqual(new DatabaseError('2 problems were found.'));
    expect(found(lines).slice(0, 3)).toEqual([
      expect.stringMatching(/^ {2}problem {2}it is not migrated: it lacks \d+_\w+$/),
      expect.stringMatching(/^ {2}problem {2}one gateway takes up to 1006 connections; .* Lower DATABASE_POOL_SIZE/),
      '  next     npx goalpost migrate',
    ]);
  });

  // A connection of PgBouncer keeps the settings it was opened with, and PgBouncer knows no new role.
  test.skipIf(usesPgbouncer).each([
    [
      'a database that is read-only',
      'ALTER DATABASE %I SET default_transaction_read_only = on',
      'it accepts no writes',
    ],
    [
      'a migration that needs a newer version',
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('x', 'x', '99990101000000_x_needs_99.0.0', now())`,
      'needs version 99.0.0 of the program. Start that version or a newer one.',
    ],
  ])('names %s', async (_what, statement, message) => {
    const other = await temporaryDatabase();
    await query(other.url, statement.replace('%I', `"${new URL(other.url).pathname.slice(1)}"`));
    const { lines, error } = await checked({ DATABASE_URL: other.url });
    expect(error).toEqual(new DatabaseError('1 problem was found.'));
    expect(lines.filter((line) => line.startsWith('  problem'))).toEqual([expect.stringContaining(message)]);
  });

  test.skipIf(usesPgbouncer)('names a server that does not answer, and a role that may not write', async () => {
    const gone = `127.0.0.1:${await freePort()}`;
    const { lines, error } = await checked({ DATABASE_URL: `postgresql://ann:hunter2@${gone}/x` });
    expect(error).toBeInstanceOf(DatabaseError);
    expect(lines.join('\n')).toContain(`  problem  ${gone} cannot be reached: connect ECONNREFUSED`);
    expect(lines.join('\n')).not.toContain('hunter2');

    const name = new URL(url).pathname.slice(1);
    const reader = `reader_${name}`.slice(0, 60);
    await query(
      url,
      `CREATE ROLE "${reader}" LOGIN PASSWORD 'hunter2'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO "${reader}"`,
    );
    const asReader = new URL(url);
    Object.assign(asReader, { username: reader, password: 'hunter2' });
    const outcome = await checked({ DATABASE_URL: asReader.href });
    await query(url, `DROP OWNED BY "${reader}"; DROP ROLE "${reader}"`);
    expect(outcome.lines.join('\n')).toContain(
      '  problem  this role lacks DELETE on access_grants, INSERT on access_grants, UPDATE on access_grants, and ',
    );
  });

  test('counts only the URL, and names what of it means nothing, and a port that is taken', async () => {
    const port = await listening(createServer());
    vi.stubEnv('PGOPTIONS', '-c search_path=nowhere');
    const url = `${database.gatewayUrl}?schema=public&connection_limit=5`;
    const { lines, error } = await checked({ DATABASE_URL: url, PORT: String(port) });
    vi.unstubAllEnvs();
    expect(error).toBeUndefined();
    expect(found(lines).filter((line) => line.startsWith('  note'))).toEqual([
      expect.stringMatching(`unless a gateway is running: Port ${port} on 127.0.0.1 is taken`),
      '  note     DATABASE_URL has schema, connection_limit, which nothing here uses; the tables are in the schema public',
    ]);
  });

  // A connection of PgBouncer keeps the settings it was opened with.
  test.skipIf(usesPgbouncer)(
    'says what it means that commits do not wait, and that a collation has another version',
    async () => {
      const other = await temporaryDatabase();
      const name = new URL(other.url).pathname.slice(1);
      await query(other.url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
      await query(other.url, `UPDATE pg_collation SET collversion = '1.2' WHERE collname = 'und-x-icu'`);
      await query(other.url, `UPDATE pg_database SET datcollversion = '0.9' WHERE datname = '${name}'`);
      const { lines, error } = await checked({ DATABASE_URL: other.gatewayUrl });
      expect(error).toBeUndefined();
      expect(found(lines).filter((line) => line.startsWith('  note'))).toEqual([
        '  note     synchronous_commit is off: if the server crashes, changes of its last moments are lost that were answered as made',
        expect.stringMatching(
          `the collation und-x-icu had version 1.2 when its indexes were made, and has \\S+: .* run REINDEX DATABASE ${name}; ALTER COLLATION "und-x-icu" REFRESH VERSION`,
        ),
        expect.stringMatching(
          `the collation of the database had version 0.9 .*, and has \\S+: .*; ALTER DATABASE ${name} REFRESH COLLATION VERSION`,
        ),
      ]);
    },
  );

  test('names goals and projects that are more open than their space', async () => {
    await query(
      url,
      `INSERT INTO companies (id, name) VALUES ('o', 'Open');
       INSERT INTO spaces (company_id, id, name, company_level, space_level) VALUES ('o', 's', 'Closed', 0, 70);
       INSERT INTO goals (company_id, id, space_id, name, company_level, space_level)
       VALUES ('o', 'same', 's', 'Same', 0, 70), ('o', 'leak', 's', 'Leak', 10, 70)`,
    );
    const { lines } = await checked({ DATABASE_URL: database.gatewayUrl });
    await query(url, "DELETE FROM goals; DELETE FROM spaces; DELETE FROM companies WHERE id = 'o'");
    expect(lines).toContain('  note     goals that more people may see or edit than their space: leak');
  });

  test('refuses bad settings, and points out one that is misspelled', async () => {
    const { error } = await checked({ PORT: 'abc', MCP: 'yes', DATABASE_URI: 'x' });
    expect(error).toBeInstanceOf(ConfigError);
    for (const named of ['PORT=abc must', 'MCP=yes must', 'DATABASE_URI is not a setting'])
      expect(String(error)).toContain(named);
    const { lines } = await checked({ DATABASE_URL: url, DATABASE_URI: 'x' });
    expect(lines).toContain('  DATABASE_URI is not a setting. Did you mean DATABASE_URL?');
  });
});
