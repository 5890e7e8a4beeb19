import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { startBuiltGateway } from '../../../tools/builtGateway.js';
import { builtMain, commandOutput, goalpost } from '../../support/goalpost.js';

/**
 * What operators do, by the built commands, on a fresh embedded database: how long each step takes as the number of records
 * grows, and what is left when it is killed. Longer: `PLAIN_PATH=10000,100000`.
 */
const sizes = (process.env.PLAIN_PATH ?? '1000,10000').split(',').map(Number);

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
      targets: [{ name: 'Target', from: 0, to: 10, value: n % 10 }],
      progress_updates: [
        { status: 'on_track', message: 'Fine', author_id: person(n), inserted_at: '2026-02-01T00:00:00Z' },
      ],
      activities: [{ action: 'goal_created', author_id: person(n), inserted_at: '2026-01-01T00:00:00Z' }],
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
afterAll(() => rm(directory, { recursive: true, maxRetries: 20 }));

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

async function post(base: string, token: string, path: string, body: object): Promise<number> {
  const response = await fetch(`${base}/api/external/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
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
    expect(await run('first import', ['import', whole])).toMatch(/^imported \d+ records/);
    expect(await run('the same again', ['import', whole, '--update'])).toContain('was imported already');
    const numbered = await write(`again-${size}.ndjson`, { revision: 2 }, recordsOf('plain', size));
    expect(await run('all of it compared', ['import', numbered, '--update'])).toContain(
      ': 0 added, 0 changed, 0 removed',
    );
    const delta = await write(`delta-${size}.ndjson`, { revision: 3 }, recordsOf('plain', size, size / 100));
    expect(await run('a delta of a hundredth', ['import', delta, '--update'])).toMatch(/: \d+ added, [1-9]\d* changed/);
    const gone = list(size / 100, (n) => ({ id: `f${Math.floor(size * 0.3) - 1 - n}` })).map(({ id }) => id);
    const removal = await write(`gone-${size}.ndjson`, { revision: 4, removed: { files: gone } }, [
      { kind: 'company', id: 'plain', name: 'Plain' },
    ]);
    expect(await run('a removal of a hundredth', ['import', removal, '--update'])).toContain(`${gone.length} removed`);
    await run('check', ['check']);
    const copy = join(directory, `copy-${size}.ndjson`);
    await run('export', ['export', copy, '--company', 'plain']);

    const created = await commandOutput(['token', 'create', '--person', 'p0', '--name', 'plain', '--write'], settings);
    const { base } = gateway;
    for (let n = 1; n < 60; n += 2) {
      expect(await post(base, created, 'reopen_goal', { id: `g${n}` })).toBe(200);
      expect(await post(base, created, 'delete_resource_hub_file', { file_id: `f${n}` })).toBe(200);
    }
    const tokens = await commandOutput(['token', 'list', '--json'], settings);
    const id: string = JSON.parse(tokens)[0].id;
    const undone = await run('token undo of 60 changes', ['token', 'undo', id]);
    expect(undone.match(/^undone /gm)).toHaveLength(60);
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

describe('the plain path', () => {
  test(
    'takes time in proportion to its records',
    async () => {
      const table: Steps[] = [];
      for (const size of sizes) table.push(await steps(size));
      const rows = Object.keys(table[0] as Steps).map((step) => {
        const values = table.map((each) => each[step] as number);
        return `| ${step} | ${values.map((value) => value.toFixed(2)).join(' | ')} | ${((values.at(-1) ?? 0) / (values.at(-2) ?? 1)).toFixed(1)} |`;
      });
      console.log(
        `| seconds with records | ${sizes.join(' | ')} | growth |\n|---|${'---|'.repeat(sizes.length + 1)}\n${rows.join('\n')}`,
      );
      const [last, before] = [table.at(-1) as Steps, table.at(-2) as Steps];
      const growth = (sizes.at(-1) as number) / (sizes.at(-2) as number);
      for (const step of Object.keys(last))
        expect((last[step] as number) / (before[step] as number), step).toBeLessThan(growth * 1.5);
    },
    sizes.reduce((sum, size) => sum + size * 20, 900_000),
  );

  test('is as it was after a command was killed at any moment, and the next one does not wait for it', async () => {
    const { settings, gateway } = await freshDatabase('killed');
    try {
      const size = 2000;
      const whole = await write('killed.ndjson', {}, recordsOf('plain', size));
      const { seconds } = await timed(() => commandOutput(['import', whole], settings));
      const content = () => commandOutput(['export', '--company', 'plain'], settings);
      const before = await content();
      const renamedIn = (text: string) => text.split(', renamed"').length - 1;
      const delta = await write('killed-delta.ndjson', {}, recordsOf('plain', size, size / 2));
      const another = await write('killed-other.ndjson', {}, recordsOf('other', size));
      const dry = await timed(() => commandOutput(['import', delta, '--update', '--dry-run'], settings));
      const copy = join(directory, 'killed-copy.ndjson');
      const commands: [string[], number][] = [
        [['import', another], seconds],
        [['export', copy, '--company', 'plain'], dry.seconds],
        [['import', delta, '--update'], dry.seconds],
      ];
      for (const [args, usual] of commands)
        for (let turn = 0; turn < 3; turn += 1) {
          await killedAfter(args, settings, usual * Math.random());
          const now = await content();
          // All of it or nothing.
          if (renamedIn(now) === 0) expect(now === before).toBe(true);
          else expect(renamedIn(now)).toBeGreaterThanOrEqual(size / 2);
          const next = await timed(() => goalpost(['import', delta, '--update', '--dry-run'], settings));
          expect(next.result.code).toBe(0);
          expect(next.seconds).toBeLessThan(3 * dry.seconds + 10);
        }
    } finally {
      await gateway.stop();
    }
  }, 900_000);
});

async function killedAfter(args: string[], settings: Record<string, string>, seconds: number): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [builtMain, ...args], {
    env: { ...process.env, ...settings },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await sleep(seconds * 1000);
  child.kill('SIGKILL');
  await exited;
}
