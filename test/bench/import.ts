// How long 100,000 records take, and how much memory: `DATABASE_URL=… tsx test/bench/import.ts [SIZE]`.
// The database must be migrated; the workspace stays in it.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openModels } from '../../src/database.js';
import { documentSource, fileSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';

const size = Number(process.argv[2] ?? 1);
const run = randomUUID().slice(0, 8);
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

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function measure(url: string, file: string) {
  const db = openModels({ url, poolSize: 1, preparedStatements: false });
  const start = performance.now();
  console.log(`a file of ${((await stat(file)).size / 1024 / 1024).toFixed(0)} MB`);
  const first = await importFrom(db, fileSource(file));
  const time = performance.now() - start;
  const rows = Object.values(first.tables).reduce((sum, { added }) => sum + added, 0);
  const memory = () => Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`imported ${rows} rows in ${seconds(start)}, peak memory ${memory()} MB`);
  const again = performance.now();
  const second = await importFrom(db, fileSource(file), { update: true });
  const unchanged = Object.values(second.tables).reduce((sum, each) => sum + each.unchanged, 0);
  const share = ((performance.now() - again) / time).toFixed(2);
  console.log(`again: ${unchanged} rows unchanged in ${seconds(again)}, ${share} of the first time, ${memory()} MB`);
  const goals = generate()
    .goals.slice(0, 1000)
    .map(({ id, space_id, name }) => ({ id, space_id, name: `${name}!` }));
  const delta = performance.now();
  const third = await importFrom(db, documentSource({ company: { id: `company-${run}`, name: 'Bench' }, goals }), {
    update: true,
  });
  console.log(
    `a delta of 1,000 goals: ${third.tables.goals.changed} changed in ${seconds(delta)}, ${((performance.now() - delta) / time).toFixed(3)} of the first time`,
  );
  await db.$disconnect();
}

const file = join(tmpdir(), `goalpost-bench-${run}.json`);
if (process.env.BENCH_FILE) await writeFile(process.env.BENCH_FILE, JSON.stringify(generate()));
else {
  // In a process of its own, to leave no trace in the memory that is measured.
  execFileSync(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, BENCH_FILE: file },
  });
  await measure(process.env.DATABASE_URL ?? '', file).finally(() => rm(file));
}
