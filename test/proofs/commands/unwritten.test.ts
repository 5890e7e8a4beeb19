import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asAdministrator } from '../../support/database.js';
import { pathOf } from '../../support/documents.js';
import { commandOutput, goalpost } from '../../support/goalpost.js';
import { usesPgbouncer } from '../../support/pgbouncer.js';
import { query } from '../../support/query.js';
import { smallWorkspace } from '../../support/smallWorkspace.js';
import { temporaryDatabase, temporaryFolder, temporaryServer } from '../../support/temporary.js';
import { restPaths } from '../../support/world.js';

const database = await temporaryDatabase();
const url = asAdministrator(database.url);
const settings = { DATABASE_URL: database.gatewayUrl };
await commandOutput(['import', pathOf('prisma/demo-workspace.json')], settings);
const file = join(await temporaryFolder(), 'workspace.json');
const person = ['--person', 'person-mara-lindqvist', '--name', 'CI', '--write'];

/** Does the work while a trigger of the application keeps rows from being written. */
async function withTrigger<T>(event: string, table: string, work: () => Promise<T>, does = ''): Promise<T> {
  await query(
    url,
    `CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ${does} RETURN NULL; END';
     CREATE TRIGGER leave_out BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION nothing()`,
  );
  return work().finally(() => query(url, 'DROP FUNCTION nothing CASCADE'));
}

test('no token is printed that was not written', async () => {
  const { code, stdout, stderr } = await withTrigger('INSERT', 'api_tokens', () =>
    goalpost(['token', 'create', ...person], settings),
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('goalpost: The database has not written the token: a trigger of it leaves the row out.');
});

test('an import of which the database leaves rows out is refused as a whole, and names the trigger', async () => {
  const workspace = smallWorkspace();
  await writeFile(file, JSON.stringify(workspace));
  const inserted = await withTrigger('INSERT', 'comments', () => goalpost(['import', file], settings));
  expect(inserted.stderr).toMatch(
    /comments: the database has written 0 of \d+ rows\. A trigger before each row that returns NULL leaves it out; there are: .*\bleave_out\b/,
  );
  await commandOutput(['import', file], settings);
  workspace.company.name = 'Other';
  await writeFile(file, JSON.stringify(workspace));
  const updated = await withTrigger('UPDATE', 'companies', () => goalpost(['import', file, '--update'], settings));
  expect(updated.stderr).toContain('companies: the database has written 0 of 1 rows.');
  const [goal] = workspace.goals;
  if (goal) goal.targets = [];
  await writeFile(file, JSON.stringify(workspace));
  const deleted = await withTrigger('DELETE', 'targets', () => goalpost(['import', file, '--update'], settings));
  expect(deleted.stderr).toContain('targets: the database has written 0 of 1 rows.');
  expect([inserted.code, updated.code, deleted.code]).toEqual([1, 1, 1]);
  expect(await query(url, "SELECT name FROM companies WHERE id = 'small-company'")).toEqual([{ name: 'Small' }]);
});

// Connections of PgBouncer keep the settings with which they were opened.
test.skipIf(usesPgbouncer)('an import that the server ends names the setting by which it does', async () => {
  const name = new URL(url).pathname.slice(1);
  await writeFile(file, JSON.stringify(smallWorkspace('late')));
  await query(url, `ALTER DATABASE ${name} SET statement_timeout = '2s'`);
  const load = () => goalpost(['import', file], settings);
  const { code, stderr } = await withTrigger('INSERT', 'goals', load, 'PERFORM pg_sleep(10);');
  await query(url, `ALTER DATABASE ${name} RESET statement_timeout`);
  expect(stderr).toContain(
    'goalpost: canceling statement due to statement timeout. This is statement_timeout of the role, the database or the server: use a role whose statement_timeout is 0',
  );
  expect(code).toBe(1);
});

test('a change whose row a trigger leaves out is 503, with what is known, also in the log', async () => {
  const token = await commandOutput(['token', 'create', ...person], settings);
  const [goal] = await query(url, 'SELECT id FROM goals WHERE closed_at IS NOT NULL LIMIT 1');
  const gateway = await temporaryServer({ ...settings, LOG_LEVEL: 'info' }, { quiet: true });
  const { status, body } = await withTrigger('UPDATE', 'goals', () =>
    gateway.client.post(restPaths.reopenGoal, token, { id: goal?.id }),
  );
  const known = /^Ten attempts have written no row: others changed the record each time, or a trigger/;
  expect({ status, body }).toMatchObject({ status: 503, body: { detail: expect.stringMatching(known) } });
  await expect
    .poll(gateway.lines)
    .toContainEqual(expect.objectContaining({ status: 503, problem: expect.stringMatching(known) }));
});

// PgBouncer goes on with the connections that it has.
test.skipIf(usesPgbouncer)('a database that takes no connections is 503 until it takes them again', async () => {
  const token = await commandOutput(['token', 'create', ...person], settings);
  const gateway = await temporaryServer(settings, { quiet: true });
  const name = new URL(url).pathname.slice(1);
  const admin = Object.assign(new URL(url), { pathname: 'postgres' }).href;
  const close = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '${name}'`;
  const ask = async () => (await gateway.client.graphql(token, '{ goals(first: 1) { nodes { id } } }')).status;
  await query(admin, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await query(admin, close);
  expect([await ask(), await ask()]).toEqual([503, 503]);
  await query(admin, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await expect.poll(ask).toBe(200);
});
