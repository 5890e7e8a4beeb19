import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { goalpost as runGoalpost } from '../../support/goalpost.js';
import { query } from '../../support/query.js';
import {
  listening,
  temporaryDatabase,
  temporaryEmptyDatabase,
  temporaryFolder,
  temporaryServer,
} from '../../support/temporary.js';
import { restPaths } from '../../support/world.js';

/** Of the settings of the tests, none that changes what commands say. */
const environment = (settings: Record<string, string>) => ({
  ...{ npm_lifecycle_event: undefined, DATABASE_URL: undefined, LOG_LEVEL: 'warn', PORT: '0' },
  ...settings,
});

const goalpost = (settings: Record<string, string>, ...args: string[]) => runGoalpost(args, environment(settings));

/** Starts `serve` and waits until it says where it is. */
async function start(settings: Record<string, string>) {
  const server = await temporaryServer(environment(settings), { quiet: true });
  return { ...server, base: new URL(server.announced.graphql).origin };
}

describe('goalpost serve without a database', async () => {
  const directory = await temporaryFolder();

  test('prints its addresses and where two tokens are, as JSON; the next start has the same tokens and keeps all changes', async () => {
    const first = await start({ DATA_DIR: directory, LOG_LEVEL: 'info' });
    const file = join(directory, 'demo-tokens.json');
    expect(first.announced).toEqual({
      level: 30,
      time: expect.any(Number),
      msg: 'ready',
      graphql: `${first.base}/graphql`,
      rest: `${first.base}/api/external/v1`,
      browser: expect.stringMatching(/\/\?demo=[\w-]{43}$/),
      tokens: file,
      next: [],
    });
    expect((await fetch(`${first.base}/healthz`)).status).toBe(200);
    const tokens = JSON.parse(await readFile(file, 'utf8'));
    const reopen = (at: typeof first, token: string) =>
      fetch(at.base + restPaths.reopenGoal, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ id: 'goal-launch-mobile-app' }),
      });
    const statuses = [await reopen(first, tokens.readOnly), await reopen(first, tokens.write)];
    expect(statuses.map(({ status }) => status)).toEqual([403, 200]);
    first.process.kill('SIGINT');
    expect(await first.exited).toEqual([0, null]);
    // Nothing but lines of JSON, because nobody looks at them in a terminal, and no token in them.
    const lines = first.printed().trim().split('\n');
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'));
    expect(lines.join()).not.toMatch(/gp_[\w-]{43}/);

    const second = await start({ DATA_DIR: directory });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(tokens);
    const read = await fetch(`${second.base}/graphql?query={goal(id:"goal-launch-mobile-app"){isClosed}}`, {
      headers: { authorization: `Bearer ${tokens.readOnly}` },
    });
    expect(await read.json()).toEqual({ data: { goal: { isClosed: false } } });

    // Short commands share the embedded server of a running gateway.
    const listed = await goalpost({ DATA_DIR: directory }, 'token', 'list');
    expect(listed.stdout.split('\n').filter((line) => line.includes('Demo, '))).toHaveLength(2);
    const checked = await goalpost({ DATA_DIR: directory }, 'check');
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('  ok       it is migrated\n') });
  });

  test('lists people, by a part of the name', async () => {
    const found = await goalpost({ DATA_DIR: directory }, 'people', 'WEBER');
    expect(found.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^id +name +title +kind +company$/),
      expect.stringMatching(/^person-jonas-weber +Jonas Weber .+ company-harborlight$/),
    ]);
    const all = await goalpost({ DATA_DIR: directory }, 'people', '--json');
    expect(JSON.parse(all.stdout).length).toBeGreaterThan(5);
    const none = await goalpost({ DATA_DIR: directory }, 'people', '--company', 'nothing', '--json');
    expect(JSON.parse(none.stdout)).toEqual([]);
  });

  test('makes new tokens if a start that was interrupted has left an empty file of them', async () => {
    const file = join(directory, 'demo-tokens.json');
    await writeFile(file, '');
    const { base } = await start({ DATA_DIR: directory });
    const { readOnly } = JSON.parse(await readFile(file, 'utf8'));
    const headers = { authorization: `Bearer ${readOnly}` };
    const read = await fetch(`${base}/graphql?query={viewer{token{name}}}`, { headers });
    expect(await read.json()).toEqual({ data: { viewer: { token: { name: 'Demo, read-only' } } } });
    expect((await readdir(directory)).filter((name) => name.startsWith('.goalpost-'))).toEqual([]);
  });
});

describe("goalpost on the operator's own database", async () => {
  const { url: DATABASE_URL } = await temporaryDatabase();
  beforeAll(async () => {
    await query(DATABASE_URL, 'DROP SCHEMA public CASCADE');
    await query(DATABASE_URL, 'CREATE SCHEMA public');
  });

  test('refuses the short commands before the first migration', async () => {
    const { code, stderr } = await goalpost({ DATABASE_URL }, 'token', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('Run `npx goalpost migrate` first');
  });

  test('distributes nothing on a PostgreSQL without Citus', async () => {
    for (const args of [[], ['--yes']]) {
      const { code, stderr } = await goalpost({ DATABASE_URL }, 'distribute', ...args);
      expect(code).toBe(1);
      expect(stderr).toContain('lacks the extension citus. Nothing was changed.');
    }
    const embedded = await goalpost({}, 'distribute');
    expect([embedded.code, embedded.stderr]).toEqual([2, expect.stringContaining('needs DATABASE_URL')]);
  });

  test('lets several gateways start at once on an empty database, with no demo data and no tokens', async () => {
    const started = await Promise.all([1, 2, 3].map(() => start({ DATABASE_URL })));
    for (const { base, announced, printed } of started) {
      expect((await fetch(`${base}/readyz`)).status).toBe(200);
      expect(printed()).not.toContain('gp_');
      expect(announced).not.toHaveProperty('tokens');
      expect(announced.next.map((command) => command.split(' ').slice(0, 3).join(' '))).toEqual([
        'npx goalpost import',
        'npx goalpost token',
      ]);
    }
    expect(await query(DATABASE_URL, 'SELECT count(*)::int AS n FROM companies')).toEqual([{ n: 0 }]);
    expect((await goalpost({ DATABASE_URL }, 'migrate')).stdout).toBe('The database is up to date.\n');
  });

  test('imports a workspace, and creates, lists and revokes tokens', async () => {
    const imported = await goalpost({ DATABASE_URL }, 'import', 'prisma/demo-workspace.json');
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringMatching(/^imported \d+ records/) });
    const again = await goalpost({ DATABASE_URL }, 'import', 'prisma/demo-workspace.json');
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('exists already');

    await query(DATABASE_URL, "INSERT INTO companies (id, name) VALUES ('other', 'Other')");
    await query(
      DATABASE_URL,
      "INSERT INTO people (company_id, id, full_name) VALUES ('other', 'person-tomas-okafor', 'Namesake')",
    );
    const ambiguous = await goalpost(
      { DATABASE_URL },
      'token',
      'create',
      '--person',
      'person-tomas-okafor',
      '--name',
      'x',
    );
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toContain('add --company with one of: "company-harborlight", "other"');

    const beforeToken = await start({ DATABASE_URL });
    expect(beforeToken.announced.next).toEqual([expect.stringContaining('token create')]);
    const person = ['--person', 'person-tomas-okafor', '--company', 'company-harborlight'];
    const options = [...person, '--name', 'CI', '--expires', '30d'];
    const created = await goalpost({ DATABASE_URL }, 'token', 'create', ...options);
    const token = created.stdout.trim();
    expect(token).toMatch(/^gp_[\w-]{43}$/);
    const list = (await goalpost({ DATABASE_URL }, 'token', 'list')).stdout;
    expect(list).toContain(`  gp_…${token.slice(-4)}  read-only  until `);
    expect(list).not.toContain(token);
    const asJson = await goalpost({ DATABASE_URL }, 'token', 'list', '--json');
    expect(JSON.parse(asJson.stdout)).toEqual([
      {
        id: list.split('\n')[1]?.split(' ')[0],
        token: `gp_…${token.slice(-4)}`,
        access: 'read-only',
        scopes: null,
        surfaces: null,
        state: 'valid',
        companyId: 'company-harborlight',
        personId: 'person-tomas-okafor',
        lastUsedAt: null,
        expiresAt: expect.any(String),
        insertedAt: expect.any(String),
        name: 'CI',
      },
    ]);

    const limits = ['reopen_goal', 'manage_webhooks', 'reopen_goal'].flatMap((scope) => ['--scope', scope]);
    limits.push('--surface', 'rest');
    const limited = await goalpost({ DATABASE_URL }, 'token', 'create', ...person, '--name', 'L', '--write', ...limits);
    expect(limited.stderr).toContain('only reopen_goal, manage_webhooks, only for rest, never expires');
    expect((await goalpost({ DATABASE_URL }, 'token', 'list')).stdout).toContain(
      '  write, only reopen_goal manage_webhooks, in rest  valid ',
    );

    const { base, announced } = await start({ DATABASE_URL });
    expect(announced.next).toEqual([]);
    const refused = await fetch(`${base}/graphql?query={viewer{person{id}}}`, {
      headers: { authorization: `Bearer ${limited.stdout.trim()}` },
    });
    expect(refused.status).toBe(403);
    const ask = () =>
      fetch(`${base}/graphql?query={viewer{person{id}}}`, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await ask()).json()).toMatchObject({ data: { viewer: { person: { id: 'person-tomas-okafor' } } } });
    const id = list.split('\n')[1]?.split(' ')[0] ?? '';
    expect((await goalpost({ DATABASE_URL }, 'token', 'revoke', id)).code).toBe(0);
    expect((await ask()).status).toBe(401);
    expect((await goalpost({ DATABASE_URL }, 'token', 'revoke', id)).code).toBe(2);
  });

  test.each([
    ['an unknown command', ['nonsense'], {}, 2, "unknown command 'nonsense'"],
    ['a setting as an option', ['serve', '--port', '4311'], {}, 2, 'PORT is a setting: set the environment variable'],
    [
      'an unknown scope',
      ['token', 'create', '--person', 'x', '--name', 'x', '--write', '--scope', 'reopen'],
      {},
      2,
      '--scope takes one of delete_resource_hub_file, manage_webhooks, recover_resource_hub_file, reopen_goal',
    ],
    ['a bad duration', ['token', 'create', '--person', 'x', '--name', 'x', '--expires', 'soon'], {}, 2, 'such as 30d'],
    [
      'an unknown person',
      ['token', 'create', '--person', 'nobody', '--name', 'x'],
      {},
      2,
      'no person has the id "nobody"; see npx goalpost people',
    ],
    ['a bad setting', ['serve'], { PORT: 'http' }, 2, 'PORT=http must be a whole number'],
    [
      'an address that is not of this machine',
      ['serve'],
      { HOST: '192.0.2.1' },
      2,
      'HOST=192.0.2.1 is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.',
    ],
    [
      'a database that is not there',
      ['migrate'],
      { DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/x' },
      1,
      'Cannot connect',
    ],
  ] as const)('%s is one clear message and an exit code', async (_name, args, settings, code, message) => {
    const outcome = await goalpost({ DATABASE_URL, ...settings }, ...args);
    expect(outcome.stderr).toContain(message);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).not.toMatch(/secret|\n {4}at /);
  });

  test('makes no database when DATABASE_URL was forgotten', async () => {
    const folder = await temporaryFolder();
    const { code, stderr } = await runGoalpost(['token', 'list'], environment({ DATABASE_URL: '' }), folder);
    expect(stderr).toMatch(/^goalpost: there is no database: DATABASE_URL is not set, .* Set DATABASE_URL\./);
    expect([code, await readdir(folder)]).toEqual([2, []]);
  });

  test('names the database that a command used, without a password', async () => {
    const { stderr } = await goalpost({ DATABASE_URL }, 'token', 'list');
    const { host, pathname } = new URL(DATABASE_URL);
    expect(stderr).toBe(`Database: postgresql://postgres:***@${host}${pathname}\n`);
  });

  test('leaves the database alone when it cannot listen', async () => {
    const { directUrl } = await temporaryEmptyDatabase();
    const port = await listening(createServer());
    // What is taken may become free: a supervisor starts it again.
    const cases: [settings: Record<string, string>, code: number][] = [
      [{ PORT: String(port) }, 1],
      [{ METRICS_PORT: String(port) }, 1],
      [{ HOST: '192.0.2.1' }, 2],
    ];
    for (const [settings, code] of cases) {
      expect(await goalpost({ DATABASE_URL: directUrl, ...settings }, 'serve')).toMatchObject({ code });
    }
    expect(await query(directUrl, "SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });
});
