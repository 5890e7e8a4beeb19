import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { commandOutput } from '../test/support/goalpost.js';
import { startBuiltGateway } from '../tools/builtGateway.js';

// What operators do, by the built commands, on a fresh embedded database: how long each step takes as the number of
// records grows. `npm run build && npx tsx bench/commands.ts 1000 10000`

const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [1_000, 10_000];

type Line = Record<string, unknown>;

const list = (count: number, make: (n: number) => Line) => Array.from({ length: Math.ceil(count) }, (_, n) => make(n));

/** So many records of every kind, with what lies in them, of the company. Those of `range` have new names. */
function* recordsOf(company: string, size: number, changed = 0): Generator<Line> {
  const people = Math.max(3, size / 10);
  const places = Math.max(1, Math.floor(size / 500));
  const person = (n: number) => `p${n % Math.floor(people)}`;
  const name = (what: string, n: number) => (n < changed / 3 ? `${what} ${n}, renamed` : `${what} ${n}`);
  yield { kind: 'company', id: company, name: 'Plain' };
  if (changed > 0 && changed < size) {
    yield* goalsOf(changed / 3);
    yield* filesOf(changed / 3);
    yield* documentsOf(changed / 3);
    return;
  }
  yield* list(people, (n) => ({ kind: 'person', id: `p${n}`, full_name: `Person ${n}`, is_owner: n === 0 }));
  yield* list(places, (n) => ({
    ...{ kind: 'space', id: `s${n}`, name: `Space ${n}`, members: [{ person_id: person(n) }] },
    access: [{ person_id: person(n + 1), level: 70 }],
  }));
  yield* goalsOf(size * 0.3);
  yield* list(places, (n) => ({ kind: 'resource_hub', id: `h${n}`, space_id: `s${n}`, name: `Hub ${n}` }));
  yield* list(places * 3, (n) => ({
    ...{ kind: 'folder', id: `d${n}`, resource_hub_id: `h${n % places}`, name: `Folder ${n}` },
    parent_folder_id: n < places ? null : `d${n - places}`,
  }));
  yield* filesOf(size * 0.3);
  yield* documentsOf(size * 0.28);

  function goalsOf(count: number) {
    return list(count, (n) => ({
      ...{ kind: 'goal', id: `g${n}`, space_id: `s${n % places}`, name: name('Goal', n), champion_id: person(n) },
      ...(n % 2 === 1 && { closed_at: '2026-03-01T00:00:00Z', success: true }),
      ...(n > 10 && { parent_goal_id: `g${Math.floor(n / 10)}` }),
      access: [{ person_id: person(n + 3), level: 40 }],
      targets: [{ id: `t${n}`, name: 'Target', from: 0, to: 10, value: n % 10 }],
      progress_updates: [
        { id: `u${n}`, status: 'on_track', message: 'Fine', author_id: person(n), inserted_at: '2026-02-01T00:00:00Z' },
      ],
      activities: [{ id: `a${n}`, action: 'goal_created', author_id: person(n), inserted_at: '2026-01-01T00:00:00Z' }],
    }));
  }
  function filesOf(count: number) {
    return list(count, (n) => ({
      ...{ kind: 'file', id: `f${n}`, resource_hub_id: `h${n % places}`, name: name('File', n), author_id: person(n) },
      parent_folder_id: `d${n % (places * 3)}`,
      blob: { filename: `${n}.txt`, size: n, content_type: 'text/plain' },
    }));
  }
  function documentsOf(count: number) {
    return list(count, (n) => {
      const version = (number: number, title: string) => ({
        ...{ version_number: number, title, content: `Text ${number}`, editor_id: person(n) },
        origin: number === 1 ? 'published' : 'edited',
      });
      const versions = [version(1, `Document ${n}`), version(2, `Document ${n}, again`)];
      if (n < changed / 3) versions.push(version(3, `Document ${n}, renamed`));
      return {
        ...{ kind: 'document', id: `k${n}`, resource_hub_id: `h${n % places}`, author_id: person(n) },
        ...{ name: versions.at(-1)?.title, content: versions.at(-1)?.content, versions },
        ...{ state: 'published', published_at: '2026-01-01T00:00:00Z' },
        subscription_list: { subscriptions: [{ person_id: person(n + 1), type: 'joined' }] },
      };
    });
  }
}

const directory = await mkdtemp(join(tmpdir(), 'goalpost-plain-'));

async function write(name: string, header: Line, records: Iterable<Line>): Promise<string> {
  const file = join(directory, name);
  const out = createWriteStream(file);
  let count = 0;
  const line = (value: Line) => {
    count += 1;
    out.write(`${JSON.stringify(value)}\n`);
  };
  line({ kind: 'header', ...header });
  for (const record of records) line(record);
  out.end(`${JSON.stringify({ kind: 'end', records: count })}\n`);
  await finished(out);
  return file;
}

/** An embedded database of its own, which nobody has analysed. */
async function freshDatabase(name: string) {
  const settings = { DATABASE_URL: '', DATA_DIR: join(directory, name), WEBHOOK_KEY: '' };
  const gateway = await startBuiltGateway({ ...settings, LOG_LEVEL: 'fatal' }, ['--no-demo']);
  return { settings, gateway };
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ seconds: number; result: Result }> {
  const started = performance.now();
  const result = await work();
  return { seconds: (performance.now() - started) / 1000, result };
}

async function post(base: string, token: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${base}/api/external/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

interface Steps {
  [step: string]: number;
}

/** Every step with so many records, in seconds. */
async function steps(size: number): Promise<Steps> {
  const { settings, gateway } = await freshDatabase(`of-${size}`);
  try {
    const seconds: Steps = {};
    const run = async (step: string, args: string[]) => {
      const { seconds: taken, result } = await timed(() => commandOutput(args, settings));
      seconds[step] = taken;
      return result;
    };
    const whole = await write(`whole-${size}.ndjson`, { revision: 1 }, recordsOf('plain', size));
    await run('first import', ['import', whole]);
    await run('the same again', ['import', whole, '--update']);
    const numbered = await write(`again-${size}.ndjson`, { revision: 2 }, recordsOf('plain', size));
    await run('all of it compared', ['import', numbered, '--update']);
    const delta = await write(`delta-${size}.ndjson`, { revision: 3 }, recordsOf('plain', size, size / 100));
    await run('a delta of a hundredth', ['import', delta, '--update']);
    const gone = list(size / 100, (n) => ({ id: `f${Math.floor(size * 0.3) - 1 - n}` })).map(({ id }) => id);
    const removal = await write(`gone-${size}.ndjson`, { revision: 4, removed: { files: gone } }, [
      { kind: 'company', id: 'plain', name: 'Plain' },
    ]);
    await run('a removal of a hundredth', ['import', removal, '--update']);
    await run('check', ['check']);
    const copy = join(directory, `copy-${size}.ndjson`);
    await run('export', ['export', copy, '--company', 'plain']);

    const created = await commandOutput(['token', 'create', '--person', 'p0', '--name', 'plain', '--write'], settings);
    const { base } = gateway;
    for (let n = 1; n < 60; n += 2) {
      await post(base, created, 'reopen_goal', { id: `g${n}` });
      await post(base, created, 'delete_resource_hub_file', { file_id: `f${n}` });
    }
    const tokens = await commandOutput(['token', 'list', '--json'], settings);
    const id: string = JSON.parse(tokens)[0].id;
    await run('token undo of 60 changes', ['token', 'undo', id]);
    await run('purge', ['purge', '--older-than', '1m', '--yes']);
    const other = await freshDatabase(`copy-of-${size}`);
    const { seconds: taken } = await timed(() => commandOutput(['import', copy], other.settings));
    seconds['import of the export elsewhere'] = taken;
    await other.gateway.stop();
    return seconds;
  } finally {
    await gateway.stop();
  }
}

const table: Steps[] = [];
try {
  for (const size of sizes) table.push(await steps(size));
} finally {
  await rm(directory, { recursive: true, maxRetries: 20 });
}
console.log(`| seconds with records | ${sizes.join(' | ')} |\n|---|${'---|'.repeat(sizes.length)}`);
for (const step of Object.keys(table[0] ?? {}))
  console.log(`| ${step} | ${table.map((each) => each[step]?.toFixed(2)).join(' | ')} |`);
