// How long imports and updates take, how much memory, what they write and lock, and what requests notice of them:
// `npx tsx test/bench/import.ts [SIZE] [PART…]`, on an embedded PostgreSQL with durable settings, or on the database of
// DATABASE_URL, which must be migrated and may be thrown away.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openModels } from '../../src/database.js';
import { applyMigrations } from '../../src/platform/administration/migrations.js';
import { startEmbedded } from '../../src/platform/embedded/open.js';
import { createToken } from '../../src/tokens.js';
import { documentSource, fileSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';
import { tables } from '../../src/workspace/tables.js';
import { startServer } from '../support/server.js';

const [first = '1', ...wanted] = process.argv.slice(2);
const size = Number(first);
const database = await openDatabase();
const { url } = database;
const run = process.env.BENCH_RUN ?? randomUUID().slice(0, 8);

async function openDatabase(): Promise<{ url: string; close: () => Promise<void> }> {
  const given = process.env.DATABASE_URL;
  if (given !== undefined) return { url: given, close: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'goalpost-bench-'));
  const server = await startEmbedded({ dataDir: directory });
  await applyMigrations(server.url, fileURLToPath(new URL('../../prisma/migrations', import.meta.url)));
  const close = async () => {
    await server.stop();
    await rm(directory, { recursive: true, maxRetries: 20 });
  };
  return { url: server.url, close };
}

const list = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index));
const person = (index: number) => `person-${run}-${index % (2000 * size)}`;
const paragraph = 'Nobody has ever regretted writing down why a decision was taken. '.repeat(20);

const comments = (count: number, seed: number) =>
  list(count, (n) => ({
    author_id: person(seed + n),
    content: paragraph.slice(0, 300),
    reactions: [{ person_id: person(seed + n + 1), emoji: '👍' }],
  }));

const followers = (seed: number) => ({
  subscriptions: list(3, (n) => ({ person_id: person(seed + n), type: 'joined' })),
});

/** About 100,000 rows for each unit of `size`. */
function generate() {
  return {
    company: { id: `company-${run}`, name: 'Bench' },
    people: list(2000 * size, (n) => ({ id: person(n), full_name: `Person ${n}`, email: `person-${n}@example.com` })),
    spaces: list(50 * size, (n) => ({
      id: `space-${run}-${n}`,
      name: `Space ${n}`,
      members: list(40, (m) => ({ person_id: person(n * 40 + m) })),
    })),
    goals: list(3000 * size, (n) => ({
      id: `goal-${run}-${n}`,
      space_id: `space-${run}-${n % 50}`,
      parent_goal_id: n === 0 ? null : `goal-${run}-${Math.floor(n / 5)}`,
      name: `Goal ${n}`,
      description: paragraph.slice(0, 500),
      champion_id: person(n),
      targets: list(2, (t) => ({ name: `Target ${t}`, from: 0, to: 100, value: 40 })),
      checklist: list(3, (c) => ({ name: `Step ${c}`, completed: c === 0 })),
      progress_updates: list(2, (u) => ({
        author_id: person(n),
        status: 'on_track',
        message: paragraph,
        comments: comments(u, n),
      })),
    })),
    resource_hubs: list(100 * size, (n) => ({ id: `hub-${run}-${n}`, name: `Hub ${n}`, goal_id: `goal-${run}-${n}` })),
    folders: list(2000 * size, (n) => ({
      id: `folder-${run}-${n}`,
      resource_hub_id: `hub-${run}-${n % 100}`,
      parent_folder_id: n < 100 ? null : `folder-${run}-${n - 100}`,
      name: `Folder ${n}`,
    })),
    files: list(3500 * size, (n) => ({
      id: `file-${run}-${n}`,
      resource_hub_id: `hub-${run}-${n % 100}`,
      parent_folder_id: `folder-${run}-${n % 2000}`,
      name: `File ${n}`,
      author_id: person(n),
      blob: { filename: `${n}.pdf`, size: 1_000_000 + n, content_type: 'application/pdf' },
      comments: comments(1, n),
      subscription_list: followers(n),
    })),
    documents: list(2500 * size, (n) => ({
      id: `document-${run}-${n}`,
      resource_hub_id: `hub-${run}-${n % 100}`,
      parent_folder_id: `folder-${run}-${n % 2000}`,
      name: 'Title',
      content: `${paragraph} 4`,
      author_id: person(n),
      state: 'published',
      published_at: '2026-01-01T09:00:00Z',
      versions: list(4, (v) => ({
        version_number: v + 1,
        title: 'Title',
        content: `${paragraph} ${v + 1}`,
        editor_id: person(n + v),
        origin: v === 0 ? 'published' : 'edited',
      })),
      subscription_list: followers(n),
      activities: [
        {
          action: 'resource_hub_document_created',
          author_id: person(n),
          notifications: list(3, (m) => ({ person_id: person(n + m + 1) })),
        },
      ],
    })),
  };
}

const companyId = `company-${run}`;
const company = { id: companyId, name: 'Bench' };
const secondsSince = (start: number) => (performance.now() - start) / 1000;
const memory = () => Math.round(process.resourceUsage().maxRSS / 1024);
const pool = new pg.Pool({ connectionString: url, max: 4 });
const db = openModels({ url, poolSize: 1, preparedStatements: false });

/** What every row of the company looks like to PostgreSQL: who wrote it last, and who locked it last. */
async function marksOf(): Promise<Map<string, string>> {
  const marks = new Map<string, string>();
  for (const table of tables) {
    const { rows } = await pool.query(
      `SELECT ctid::text AS place, xmin::text AS written, xmax::text AS locked FROM ${table}
       WHERE ${table === 'companies' ? 'id' : 'company_id'} = $1`,
      [companyId],
    );
    for (const { place, written, locked } of rows) marks.set(`${table} ${place}`, `${written} ${locked}`);
  }
  return marks;
}

const differing = (before: Map<string, string>, after: Map<string, string>, part: number) =>
  [...after].filter(([row, marks]) => marks.split(' ')[part] !== before.get(row)?.split(' ')[part]).length;

/** A whole file, and the same once more. */
async function again(): Promise<void> {
  const file = join(tmpdir(), `goalpost-bench-${run}.json`);
  // In a process of its own, to leave no trace in the memory that is measured.
  execFileSync(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, DATABASE_URL: url, BENCH_FILE: file, BENCH_RUN: run },
  });
  console.log(`a file of ${((await stat(file)).size / 1024 / 1024).toFixed(0)} MB`);
  const start = performance.now();
  const report = await importFrom(db, fileSource(file));
  firstSeconds = secondsSince(start);
  const rows = Object.values(report.tables).reduce((sum, { added }) => sum + added, 0);
  console.log(`first import: ${rows} rows in ${firstSeconds.toFixed(1)} s, peak memory ${memory()} MB`);
  for (const time of ['again', 'and again']) {
    const before = await marksOf();
    const since = performance.now();
    const second = await importFrom(db, fileSource(file), { update: true });
    const taken = secondsSince(since);
    const after = await marksOf();
    const unchanged = Object.values(second.tables).reduce((sum, each) => sum + each.unchanged, 0);
    console.log(
      `${time}: ${unchanged} rows unchanged in ${taken.toFixed(1)} s, ${(taken / firstSeconds).toFixed(2)} of the first time; ` +
        `${differing(before, after, 0)} rows written, ${differing(before, after, 1)} rows locked`,
    );
  }
  await rm(file);
}

let firstSeconds = Number.NaN;

/** Goals with another name. */
const renamed = (count: number, name: string) =>
  generate()
    .goals.slice(0, count)
    .map(({ id, space_id, champion_id }) => ({ id, space_id, champion_id, name: `${name} ${id}` }));

async function delta(): Promise<void> {
  for (const name of ['New name of', 'Other name of', 'Third name of']) {
    const goals = renamed(1000, name);
    const start = performance.now();
    const report = await importFrom(db, documentSource({ company, goals }), { update: true });
    const taken = secondsSince(start);
    console.log(
      `a delta of 1,000 goals: ${report.tables.goals.changed} changed in ${taken.toFixed(2)} s, ` +
        `${(taken / firstSeconds).toFixed(3)} of the first time`,
    );
  }
}

/** A file of 2 GB in lines, which no disk ever has, into the built command: its memory. */
async function stream(): Promise<void> {
  const gigabytes = 2;
  const command = spawn(process.execPath, ['dist/main.js', 'import', '-'], {
    env: { ...process.env, DATABASE_URL: url, LOG_LEVEL: 'error' },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(command, 'exit');
  let most = 0;
  const { pid } = command;
  const watch = setInterval(() => {
    const status = execFileSync('grep', ['VmHWM', `/proc/${pid}/status`], { encoding: 'utf8' });
    most = Math.max(most, Number(/\d+/.exec(status)?.[0] ?? 0) / 1024);
  }, 500);
  const content = JSON.stringify('Nobody has ever regretted writing down why a decision was taken. '.repeat(15));
  let [bytes, records] = [0, 0];
  const write = async (text: string) => {
    bytes += text.length;
    records += text.split('\n').length - 1;
    if (!command.stdin.write(text)) await once(command.stdin, 'drain');
  };
  const start = performance.now();
  await write(
    `{"kind":"company","id":"stream-${run}","name":"Stream"}\n{"kind":"person","id":"p","full_name":"P"}\n` +
      '{"kind":"space","id":"s","name":"S"}\n',
  );
  for (let n = 0; bytes < gigabytes * 1024 ** 3; ) {
    const lines: string[] = [];
    for (let each = 0; each < 500; each += 1, n += 1)
      lines.push(`{"kind":"goal","id":"g${n}","space_id":"s","name":"Goal ${n}","description":${content}}\n`);
    await write(lines.join(''));
  }
  await write(`{"kind":"end","records":${records}}\n`);
  command.stdin.end();
  const [code] = await ended;
  clearInterval(watch);
  console.log(
    `a stream of ${(bytes / 1024 ** 3).toFixed(1)} GB, ${records} records: exit ${code} after ${secondsSince(start).toFixed(0)} s, peak memory ${Math.round(most)} MB`,
  );
}

const percentile = (times: number[], share: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * share)] ?? Number.NaN;

/** Requests one after the other while rows are updated, and while nothing is: reads, and changes of the same rows. */
async function beside(): Promise<void> {
  const count = Math.min(10_000, 3000 * size);
  await importFrom(db, documentSource({ company, people: [{ id: 'owner', full_name: 'O', is_owner: true }] }), {
    update: true,
  });
  const { token } = await createToken(db, { companyId, personId: 'owner', name: 'bench', canWrite: true });
  const limits = { RATE_LIMIT_PER_TOKEN: '100000000' };
  const server = await startServer({ DATABASE_URL: url, ...limits });
  const ids = generate().goals.map(({ id }) => id);
  const statuses: Record<number, number> = {};
  let isOver = false;
  const requests = async () => {
    const times = { read: [] as number[], reopen: [] as number[] };
    isOver = false;
    const client = async (kind: 'read' | 'reopen') => {
      for (let n = 0; !isOver; n += 1) {
        const id = ids[(n * 7919) % count];
        const start = performance.now();
        const { status } =
          kind === 'read'
            ? await server.client.graphql(
                token,
                '($id: ID!) { goal(id: $id) { name targets { name } } }'.replace('(', 'query ('),
                { id },
              )
            : await server.client.post('/api/external/v1/reopen_goal', token, { id });
        times[kind].push(performance.now() - start);
        statuses[status] = (statuses[status] ?? 0) + 1;
        await sleep(5);
      }
    };
    const clients = [client('read'), client('read'), client('reopen')];
    return { times, stop: () => Promise.all(clients) };
  };
  const quiet = await requests();
  await sleep(5000);
  isOver = true;
  await quiet.stop();
  // How long the update holds row locks: from the first wait to the commit is what others can notice.
  const busy = await requests();
  const start = performance.now();
  let locked = 0;
  const watch = setInterval(async () => {
    const { rows } = await pool.query(
      `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart)), 0) AS waited FROM pg_locks WHERE NOT granted`,
    );
    locked = Math.max(locked, Number(rows[0].waited));
  }, 20);
  for (const name of ['Busy name of', 'Busier name of'])
    await importFrom(db, documentSource({ company, goals: renamed(count, name) }), { update: true });
  const taken = secondsSince(start);
  isOver = true;
  await busy.stop();
  clearInterval(watch);
  for (const kind of ['read', 'reopen'] as const)
    console.log(
      `${kind} beside two updates of ${count} rows (${taken.toFixed(1)} s): p50 ${percentile(quiet.times[kind], 0.5).toFixed(1)} → ` +
        `${percentile(busy.times[kind], 0.5).toFixed(1)} ms, the longest ${Math.max(...quiet.times[kind]).toFixed(0)} → ${Math.max(...busy.times[kind]).toFixed(0)} ms`,
    );
  console.log(`the longest wait for a lock ${(locked * 1000).toFixed(0)} ms; by status: ${JSON.stringify(statuses)}`);
  await server.stop();
}

const parts = { again, delta, beside, stream };

if (process.env.BENCH_FILE) await writeFile(process.env.BENCH_FILE, JSON.stringify(generate()));
else for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part();
await pool.end();
await db.$disconnect();
await database.close();
