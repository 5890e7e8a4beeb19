import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from './support/database.js';
import { query } from './support/query.js';
import { restPaths } from './support/world.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const main = [join(root, 'dist/main.js')];

// Tests what `npm start` runs, compiled from the current sources.
beforeAll(() => run(join(root, 'node_modules/.bin/tsc'), ['-p', root]));

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function environment(settings: Record<string, string>) {
  const { npm_lifecycle_event: _npm, DATABASE_URL: _url, ...rest } = process.env;
  return { ...rest, LOG_LEVEL: 'warn', PORT: '0', ...settings };
}

/** Runs a command until it ends. */
async function goalpost(settings: Record<string, string>, ...args: string[]): Promise<Outcome> {
  try {
    const { stdout, stderr } = await run(process.execPath, [...main, ...args], {
      cwd: root,
      env: environment(settings),
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

interface Gateway {
  process: ChildProcess;
  lines: string[];
  base: string;
  ended: Promise<number | null>;
}

const gateways: Gateway[] = [];

/** Starts `serve` and waits until it has printed everything. */
async function start(settings: Record<string, string>, last: RegExp): Promise<Gateway> {
  const child = spawn(process.execPath, [...main, 'serve'], { cwd: root, env: environment(settings) });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (last.test(stdout)) resolve();
    });
    ended.then((code) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
  });
  const lines = stdout.trim().split('\n');
  const base = /http:\S+(?=\/graphql)/.exec(stdout)?.[0] ?? '';
  const gateway = { process: child, lines, base, ended };
  gateways.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of gateways.splice(0)) {
    gateway.process.kill('SIGKILL');
    await gateway.ended;
  }
});

const printedAll = new RegExp(`(^curl .*\\n){${Object.keys(restPaths).length}}`, 'm');
const listens = /^REST .*\n/m;

describe('goalpost serve without a database', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'goalpost-serve-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('prints its addresses, two tokens and a working command for each path; the next start prints the same tokens and keeps all changes', async () => {
    const first = await start({ DATA_DIR: directory }, printedAll);
    const tokens = first.lines.filter((line) => /^(write|read-only) token gp_/.test(line));
    expect(tokens).toHaveLength(2);
    expect(first.lines).toContain(`GraphQL  ${first.base}/graphql`);
    expect(first.lines).toContain(`REST     ${first.base}/api/external/v1`);
    expect((await fetch(`${first.base}/healthz`)).status).toBe(200);

    const commands = first.lines.filter((line) => line.startsWith('curl '));
    expect(commands).toHaveLength(Object.keys(restPaths).length);
    for (const command of commands) {
      const { stdout } = await run('/bin/sh', ['-c', `${command} -w '\\n%{http_code}'`]);
      expect(stdout.split('\n').at(-1), command).toBe('200');
    }
    first.process.kill('SIGINT');
    expect(await first.ended).toBe(0);

    const second = await start({ DATA_DIR: directory }, printedAll);
    expect(second.lines.filter((line) => line.includes(' token '))).toEqual(tokens);
    const commandOf = (path: string) => second.lines.find((line) => line.startsWith('curl ') && line.includes(path));
    const [reopen, restore] = [commandOf(restPaths.reopenGoal), commandOf(restPaths.restoreDocumentVersion)];
    expect(restore).toContain('"expected_current_version":6');
    const { stdout } = await run('/bin/sh', ['-c', reopen ?? '']);
    expect(JSON.parse(stdout).goal).toMatchObject({ is_closed: false });

    // Short commands share the embedded server of a running gateway.
    const listed = await goalpost({ DATA_DIR: directory }, 'token', 'list');
    expect(listed.stdout.split('\n').filter((line) => line.includes('Demo, '))).toHaveLength(2);
  });

  test('leaves no process and a directory that starts again, even when it is killed', async () => {
    const killed = await start({ DATA_DIR: directory }, printedAll);
    killed.process.kill('SIGKILL');
    await killed.ended;
    const again = await start({ DATA_DIR: directory }, printedAll);
    again.process.kill('SIGTERM');
    expect(await again.ended).toBe(0);
    // The server ended with its gateway, so nothing uses this directory any more.
    const { stdout } = await run('/bin/sh', ['-c', `ls ${directory}/postgres/data/postmaster.pid 2>&1 || true`]);
    expect(stdout).toContain('No such file');
  });
});

describe("goalpost on the operator's own database", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let DATABASE_URL: string;
  beforeAll(async () => {
    database = await createDatabase();
    DATABASE_URL = database.url;
    await query(DATABASE_URL, 'DROP SCHEMA public CASCADE');
    await query(DATABASE_URL, 'CREATE SCHEMA public');
  });
  afterAll(() => database.drop());

  test('refuses the short commands before the first migration', async () => {
    const { code, stderr } = await goalpost({ DATABASE_URL }, 'token', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('Run `goalpost migrate` first');
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
    const started = await Promise.all([1, 2, 3].map(() => start({ DATABASE_URL }, listens)));
    for (const { base, lines } of started) {
      expect((await fetch(`${base}/readyz`)).status).toBe(200);
      expect(lines.filter((line) => line.includes('gp_'))).toEqual([]);
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

    const person = ['--person', 'person-tomas-okafor', '--company', 'company-harborlight'];
    const options = [...person, '--name', 'CI', '--expires', '30d'];
    const created = await goalpost({ DATABASE_URL }, 'token', 'create', ...options);
    const token = created.stdout.trim();
    expect(token).toMatch(/^gp_[\w-]{43}$/);
    const list = (await goalpost({ DATABASE_URL }, 'token', 'list')).stdout;
    expect(list).toContain(`gp_…${token.slice(-4)}\tread-only\tuntil `);
    expect(list).not.toContain(token);

    const { base } = await start({ DATABASE_URL }, listens);
    const ask = () =>
      fetch(`${base}/graphql?query={viewer{person{id}}}`, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await ask()).json()).toMatchObject({ data: { viewer: { person: { id: 'person-tomas-okafor' } } } });
    const id = list.split('\n')[1]?.split('\t')[0] ?? '';
    expect((await goalpost({ DATABASE_URL }, 'token', 'revoke', id)).code).toBe(0);
    expect((await ask()).status).toBe(401);
    expect((await goalpost({ DATABASE_URL }, 'token', 'revoke', id)).code).toBe(2);
  });

  test.each([
    ['an unknown command', ['nonsense'], {}, 2, "unknown command 'nonsense'"],
    ['an unknown option', ['serve', '--fast'], {}, 2, "unknown option '--fast'"],
    ['a missing option', ['token', 'create', '--name', 'x'], {}, 2, '--person <id>'],
    ['a bad duration', ['token', 'create', '--person', 'x', '--name', 'x', '--expires', 'soon'], {}, 2, 'such as 30d'],
    [
      'an unknown person',
      ['token', 'create', '--person', 'nobody', '--name', 'x'],
      {},
      2,
      'no person has the id "nobody"',
    ],
    ['a suspended person', ['token', 'create', '--person', 'person-otto-brandt', '--name', 'x'], {}, 2, 'suspended'],
    ['no file', ['import'], {}, 2, 'import needs a file, or --schema'],
    ['a missing file', ['import', 'nowhere.json'], {}, 1, 'nowhere.json: does not exist'],
    ['a bad setting', ['serve'], { PORT: 'http' }, 2, 'PORT: '],
    [
      'an address that is not of this machine',
      ['serve'],
      { HOST: '192.0.2.1' },
      2,
      'HOST=192.0.2.1 is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.',
    ],
    [
      'a host name that does not exist',
      ['serve'],
      { HOST: 'goalpost.invalid' },
      2,
      'HOST=goalpost.invalid cannot be resolved to an address. Set HOST to an address of this machine.',
    ],
    ['a bad database URL', ['serve'], { DATABASE_URL: 'mysql://x' }, 2, 'DATABASE_URL: must be postgresql://'],
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

  test('prints the schema', async () => {
    expect((await goalpost({}, 'schema')).stdout).toContain('type Mutation {');
  });

  test('prints the JSON Schema of the import file, whatever the settings', async () => {
    const { code, stdout } = await goalpost({ PORT: 'http' }, 'import', '--schema');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });
});
