import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { applyMigrations } from '../../../src/platform/administration/migrations.js';
import { createRoles, rolesSql } from '../../../src/platform/administration/roles.js';
import { createEmptyDatabase } from '../../support/database.js';
import { pathOf } from '../../support/documents.js';
import { goalpost } from '../../support/goalpost.js';
import { query } from '../../support/query.js';
import { startServer } from '../../support/server.js';

const demo = pathOf('prisma/demo-workspace.json');
const { template } = inject('database');

// What a name may have that SQL could take for something else.
const owner = { name: `${template}_o'%I"ner`, password: 'öwn:er@1' };
const gateway = { name: `${template}_g"ate%s'way`, password: "g'ate/way" };
const application = { name: `${template}_ap'pli%I"cation`, password: 'äp\u00ADp\u200B\uFE0F#1' };

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
const urlOf = ({ name, password }: typeof owner) => {
  const url = new URL(database.directUrl);
  Object.assign(url, { username: encodeURIComponent(name), password: encodeURIComponent(password) });
  return url.href;
};

/** Whether the setting names the role of the application. */
let isConfigured = false;

/** Runs a command with the role of the URL. */
async function run(url: string, ...args: string[]) {
  const settings = {
    DATABASE_URL: url,
    OWNER_PASSWORD: owner.password,
    GATEWAY_PASSWORD: gateway.password,
    APPLICATION_PASSWORD: application.password,
    ...(isConfigured && { APPLICATION_ROLE: application.name }),
  };
  const { code, stdout, stderr } = await goalpost(args, settings);
  return { code, text: code === 0 ? stdout : stdout + stderr, stderr };
}

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const named = ['--owner', owner.name, '--gateway', gateway.name];
const quoted = ({ name }: typeof owner) => `"${name.replaceAll('"', '""')}"`;

describe('a database with roles', () => {
  beforeAll(async () => {
    database = await createEmptyDatabase();
  });
  afterAll(async () => {
    await database.drop();
    const { adminUrl } = inject('database');
    for (const role of [owner, gateway, application]) await query(adminUrl, `DROP ROLE IF EXISTS ${quoted(role)}`);
  });

  test('gets them from goalpost roles, which says what it would run, without a password', async () => {
    const printed = await run(database.directUrl, 'roles', ...named);
    expect(printed).toMatchObject({ code: 0, text: expect.stringContaining('ALTER DEFAULT PRIVILEGES') });
    for (const { password } of [owner, gateway]) expect(printed.text).not.toContain(password);
    expect(printed.text.match(/SCRAM-SHA-256/g)).toHaveLength(2);
    expect(await run(database.directUrl, 'roles', ...named, '--yes')).toMatchObject({ code: 0 });
    expect(await run(database.directUrl, 'roles', '--owner', 'x', '--gateway', 'x')).toMatchObject({ code: 2 });
    for (const same of ['--owner', '--gateway'])
      expect(await run(database.directUrl, 'roles', same, 'x', '--application', 'x')).toMatchObject({ code: 2 });
    expect((await run(database.directUrl, 'roles', '--application')).text).toContain(
      "'goalpost_application', 'SCRAM-SHA-256$",
    );
  });

  test('gets a command from goalpost check that a shell takes as it is printed', async () => {
    const { text } = await run(`${urlOf(gateway)}?sslmode=disable&application_name=o'clock`, 'check');
    const [, command = ''] = /^ {2}next {5}(.*) npx goalpost migrate$/m.exec(text) ?? [];
    const printed = execFileSync('sh', ['-c', `${command} sh -c 'printf %s "$DATABASE_URL"'`], { encoding: 'utf8' });
    expect(printed).toMatch(/^postgresql:\/\/goalpost_owner:password@.*\?sslmode=disable&application_name=o'clock$/);
  });

  test('is migrated by the owner only', async () => {
    for (const command of ['migrate', 'serve', 'check']) {
      const refused = await run(urlOf(gateway), command);
      expect(refused.code).toBe(1);
      if (command !== 'check') expect(refused.text).toContain('and this role may not apply it');
      else
        expect(refused.text).toMatch(
          /Found\n {2}problem {2}it is not migrated: .*, and this role may not migrate: it may not create tables\..*\n {2}next {5}DATABASE_URL=postgresql:\/\/goalpost_owner:password@\S+ npx goalpost migrate\n/,
        );
    }
    expect(await run(urlOf(owner), 'migrate')).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^applied /),
    });
    expect(await run(urlOf(gateway), 'migrate')).toMatchObject({
      code: 0,
      text: expect.stringContaining('up to date'),
    });
    // The same SQL again, after the migration, changes nothing.
    await query(database.directUrl, rolesSql({ owner: { name: owner.name }, gateway: { name: gateway.name } }));
  });

  test('is served, filled, purged and checked by the gateway', async () => {
    const url = urlOf(gateway);
    expect(await run(url, 'import', demo)).toMatchObject({ code: 0 });
    const person = ['--person', 'person-tomas-okafor', '--name', 'CI', '--write'];
    const created = await run(url, 'token', 'create', ...person);
    const token = created.text.trim();
    const { base, stop } = await startServer({ DATABASE_URL: url, RATE_LIMIT_STORE: 'postgres' });
    const deleted = await fetch(`${base}/api/external/v1/delete_resource_hub_file`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'idempotency-key': 'once' },
      body: '{"file_id":"file-home-screen"}',
    });
    await stop();
    expect(deleted.status).toBe(200);
    expect(deleted.headers.get('ratelimit')).toContain('r=');
    await query(url, "UPDATE resource_hub_files SET deleted_at = deleted_at - interval '2 days'");
    const purge = await run(url, 'purge', '--older-than', '1d', '--yes');
    expect(purge).toMatchObject({ code: 0, text: expect.stringContaining('file-home-screen') });
    const listed = await run(url, 'token', 'list');
    const [id = ''] = listed.text.split('\n')[1]?.split(' ') ?? [];
    expect(await run(url, 'token', 'revoke', id)).toMatchObject({ code: 0 });
    const checked = await run(url, 'check');
    expect(checked).toMatchObject({ code: 0, text: expect.stringContaining('  ok       this role may write\n') });
    expect(checked.text).not.toContain('  note ');
  });

  test('is refused while row-level security hides rows from the gateway, and not served in part', async () => {
    const url = urlOf(gateway);
    const sql = (text: string) => query(database.directUrl, text);
    const [{ id } = {}] = await sql('SELECT id FROM companies');
    const whole = ['export', '--company', String(id)];
    const before = await run(url, ...whole);
    const token = ['--person', 'person-tomas-okafor', '--name', 'hidden'];
    const { text } = await run(url, 'token', 'create', ...token);
    const { client, stop } = await startServer({ DATABASE_URL: url }, { quiet: true });
    await sql('ALTER TABLE goals ENABLE ROW LEVEL SECURITY; ALTER TABLE people ENABLE ROW LEVEL SECURITY');
    const { status, body } = await client.graphql(text.trim(), '{ goals { nodes { id } } }');
    await stop();
    expect([status, body.errors[0].extensions.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    const helps = `ALTER ROLE ${quoted(gateway)} BYPASSRLS`;
    for (const command of [whole, ['purge', '--older-than', '1d'], ['token', 'list'], ['serve'], ['check']]) {
      const refused = await run(url, ...command);
      expect(refused.code).toBe(1);
      expect(refused.text).toContain(
        `Row-level security hides rows of goals, people from this role, which must see all. As a superuser, run ${helps};`,
      );
    }
    await sql(helps);
    expect(await run(url, ...whole)).toEqual(before);
    await sql(`ALTER ROLE ${quoted(gateway)} NOBYPASSRLS`);
    const [, ends = ''] = /as the owner of the tables, (.*)/.exec((await run(url, ...whole)).text) ?? [];
    await query(urlOf(owner), ends);
    expect(await run(url, ...whole)).toEqual(before);
    expect(before).toMatchObject({ code: 0, text: expect.stringContaining('"kind": "goal"') });
  });

  test('gets the role of an application too, which writes what goalpost check expects and no more', async () => {
    isConfigured = true;
    const missing = await run(urlOf(gateway), 'check');
    expect(missing).toMatchObject({
      code: 1,
      text: expect.stringContaining(`${application.name} (APPLICATION_ROLE) does not exist`),
    });
    expect(await run(urlOf(owner), 'migrate')).toMatchObject({
      code: 1,
      text: expect.stringContaining('prints the SQL; add --owner and --gateway if those roles have other names.'),
    });
    const asked = [...named, '--application', application.name];
    const printed = await run(database.directUrl, 'roles', ...asked);
    expect(printed.text).not.toContain(application.password);
    const refused = await run(database.directUrl, 'roles', ...asked, '--yes');
    expect(refused).toMatchObject({
      code: 1,
      text: expect.stringContaining(
        `the role ${owner.name} exists on this server already, and its password stays. Nothing was changed. It may be`,
      ),
    });
    expect(refused.text).toContain('or add --replace-passwords.');
    for (const existing of [
      [owner, gateway],
      [owner, gateway, application],
    ]) {
      const { code, text, stderr } = await run(database.directUrl, 'roles', ...asked, '--yes', '--replace-passwords');
      expect({ code, text }).toEqual({
        code: 0,
        text: expect.stringContaining(`${application.name} reads and writes rows of the main application.`),
      });
      const said = stderr.split('\n').filter((line) => line.includes(' exists on this server already'));
      expect(said.sort()).toEqual(
        existing.map(({ name }) => `${name} exists on this server already, and has the password that was given`).sort(),
      );
    }
    const checked = await run(urlOf(gateway), 'check');
    expect(checked).toMatchObject({
      code: 0,
      text: expect.stringContaining(`  ok       the application's role ${application.name} may write\n`),
    });
    expect(checked.text).not.toContain('  note ');
    const url = urlOf(application);
    await query(
      url,
      "INSERT INTO companies (id, name) VALUES ('one', 'One'); UPDATE companies SET name = 'Two' WHERE id = 'one'",
    );
    await expect(query(url, "UPDATE companies SET last_sequence = 7 WHERE id = 'one'")).rejects.toThrow(
      'permission denied',
    );
  });

  test('goalpost check names what the role of an application lacks, and what it may do beyond its task', async () => {
    const role = quoted(application);
    await query(
      urlOf(owner),
      `REVOKE INSERT ON goals FROM ${role}; GRANT SELECT (hash) ON api_tokens TO ${role};
       GRANT UPDATE (sequence), DELETE ON activities TO ${role}; GRANT UPDATE (id) ON spaces TO ${role}`,
    );
    const checked = await run(urlOf(gateway), 'check');
    expect(checked.code).toBe(1);
    const hint = `npx goalpost migrate as the owner of the tables, ${owner.name}, and with APPLICATION_ROLE sets its privileges\n`;
    expect(checked.text).toContain(
      `  problem  the application's role ${application.name} lacks INSERT on goals. ${hint}`,
    );
    expect(checked.text).toContain(
      `  note     the application's role ${application.name} may do more than an application needs: DELETE on activities, UPDATE on activities, SELECT on api_tokens, and 1 more. ${hint}`,
    );
    const strong = await goalpost(['check'], { DATABASE_URL: urlOf(gateway), APPLICATION_ROLE: owner.name });
    expect(strong.stdout).toContain(
      `the application's role ${owner.name} may do more than an application needs: it owns the tables`,
    );
    expect((await run(urlOf(gateway), 'migrate')).text).not.toContain(application.name);
    expect((await run(urlOf(gateway), 'check')).code).toBe(1);
    expect((await run(urlOf(owner), 'migrate')).text).toContain(`${application.name} reads and writes rows`);
    expect((await run(urlOf(gateway), 'check')).code).toBe(0);
  });

  test.each([
    'CREATE TABLE mine (id int)',
    'ALTER TABLE document_versions DISABLE TRIGGER ALL',
    'TRUNCATE rate_limits',
    "UPDATE _prisma_migrations SET checksum = ''",
    `SET ROLE ${quoted(owner)}`,
    "SELECT analyze_table('_prisma_migrations')",
    "UPDATE activities SET author_id = 'person-mara-lindqvist'",
    'UPDATE activities SET sequence = 1, token_id = NULL',
    'DELETE FROM confirmation_secrets',
    "UPDATE comment_threads SET message = 'never said'",
    "UPDATE document_versions SET content = 'never written'",
    'ALTER DEFAULT PRIVILEGES FOR ROLE CURRENT_USER GRANT ALL ON TABLES TO PUBLIC; CREATE TABLE mine ()',
  ])('the gateway may not: %s', async (statement) => {
    await expect(query(urlOf(gateway), statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  test('the gateway may write the rows of a table that a later migration makes', async () => {
    await query(urlOf(owner), 'CREATE TABLE later (id bigserial PRIMARY KEY, name text)');
    const url = urlOf(gateway);
    expect(await query(url, "INSERT INTO later (name) VALUES ('a') RETURNING id")).toEqual([{ id: '1' }]);
    await query(url, "UPDATE later SET name = 'b'; DELETE FROM later");
    await expect(query(url, 'TRUNCATE later')).rejects.toThrow('permission denied');
    await query(urlOf(owner), 'DROP TABLE later');
  });

  test('goalpost check names what a role lacks, and what it may do beyond its task', async () => {
    const role = quoted(gateway);
    await query(urlOf(owner), `REVOKE DELETE ON reactions FROM ${role}; GRANT TRUNCATE ON goals TO ${role}`);
    const weak = await run(urlOf(gateway), 'check');
    expect(weak.code).toBe(1);
    expect(weak.text).toContain(
      `  problem  this role lacks DELETE on reactions. npx goalpost roles --owner ${inShell(owner.name)} --gateway ${inShell(gateway.name)} prints the SQL\n`,
    );
    expect(weak.text).toContain('  note     this role may do more than a gateway needs: it may empty tables.');
    const strong = await run(urlOf(owner), 'check');
    expect(strong.code).toBe(0);
    expect(strong.text).toMatch(
      / {2}note {5}this role may .*: it owns the tables, it may make tables, it may empty tables/,
    );
  });
});

test('a role that may make roles, but does not own the database, is told who can make them', async () => {
  const { adminUrl } = inject('database');
  const other = await createEmptyDatabase();
  const [maker, own, its] = ['maker', 'o', 'i'].map((kind) => `${template}_${kind}`);
  await query(adminUrl, `CREATE ROLE ${maker} LOGIN CREATEROLE PASSWORD 'x'`);
  const url = Object.assign(new URL(other.directUrl), { username: maker, password: 'x' }).href;
  await expect(createRoles(url, { owner: { name: own ?? '' }, gateway: { name: its ?? '' } })).rejects.toThrow(
    'Nothing was changed. Run it as a superuser, or as the owner of the database if it may create roles.',
  );
  await other.drop();
  await query(adminUrl, `DROP ROLE ${maker}`);
});

test('the owner of a database who may make roles, but is no superuser, can make both', async () => {
  const { adminUrl } = inject('database');
  const other = await createEmptyDatabase();
  const [admin, own, its] = ['admin', 'own', 'its'].map((kind) => ({ name: `${template}_${kind}`, password: 'x' }));
  if (!admin || !own || !its) throw new Error('three roles');
  const as = ({ name, password }: typeof admin) =>
    Object.assign(new URL(other.directUrl), { username: name, password }).href;
  await query(adminUrl, `CREATE ROLE ${admin.name} LOGIN CREATEROLE PASSWORD 'x'`);
  await query(adminUrl, `ALTER DATABASE ${new URL(other.directUrl).pathname.slice(1)} OWNER TO ${admin.name}`);
  const [schema] = await query(
    other.directUrl,
    "SELECT nspowner::regrole::text AS owner FROM pg_namespace WHERE nspname = 'public'",
  );
  if (schema?.owner !== 'pg_database_owner') {
    await expect(createRoles(as(admin), { owner: own, gateway: its })).rejects.toThrow(
      'run this as the owner of that schema',
    );
    expect(await query(adminUrl, `SELECT 1 FROM pg_roles WHERE rolname = '${own.name}'`)).toEqual([]);
    await query(other.directUrl, `ALTER SCHEMA public OWNER TO ${admin.name}`);
  }
  await createRoles(as(admin), { owner: own, gateway: its });
  expect(await applyMigrations(as(own), pathOf('prisma/migrations'))).not.toEqual([]);
  await createRoles(as(admin), { owner: { name: own.name }, gateway: { name: its.name } });
  expect(await query(as(its), "INSERT INTO companies (name) VALUES ('Ours') RETURNING name")).toEqual([
    { name: 'Ours' },
  ]);
  await expect(query(as(its), 'CREATE TABLE mine ()')).rejects.toThrow('permission denied');
  await other.drop();
  for (const { name } of [its, own, admin]) await query(adminUrl, `DROP ROLE ${name}`);
});
