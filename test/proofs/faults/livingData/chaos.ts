import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { acknowledge, exportChanges } from '../../../../docs/application/exporter.js';
import { openModels } from '../../../../src/database.js';
import { applyMigrations, migrationsDirectory } from '../../../../src/platform/administration/migrations.js';
import { freePort } from '../../../../src/platform/embedded/server.js';
import { createToken } from '../../../../src/tokens.js';
import { streamSource } from '../../../../src/workspace/file.js';
import { importFrom } from '../../../../src/workspace/import.js';
import { Gateway } from '../../../../tools/consistency/gateway.js';
import { until } from '../../../support/deliveries.js';
import { pathOf, textOf } from '../../../support/documents.js';
import { startPostgres } from '../../../support/postgres.js';
import { query } from '../../../support/query.js';
import type { Json } from '../../../support/world.js';
import { ofApplication, ofGateway } from './records.js';

// Enough that a file seldom has a record which somebody changes just then: such a file is refused, and sent again.
const [goals, files, documents, folders] = [400, 250, 150, 5];
const clients = 6;
/** Milliseconds between two changes of one client, on average. */
const pause = 100;
/** Who has seen nothing new for so long has all: after an outage, a gateway looks every five seconds for what has no number. */
const idleMilliseconds = 6_000;

const firstRows = `
  INSERT INTO people SELECT 'p' || n, 'Person ' || n FROM generate_series(1, 10) n;
  INSERT INTO folders SELECT 'd' || n, 'Folder ' || n FROM generate_series(1, ${folders}) n;
  INSERT INTO goals SELECT 'g' || n, 'Goal ' || n FROM generate_series(1, ${goals}) n;
  INSERT INTO files SELECT 'f' || n, 'File ' || n FROM generate_series(1, ${files}) n;
  INSERT INTO documents SELECT 'k' || n, NULL FROM generate_series(1, ${documents}) n;
  INSERT INTO versions SELECT 'k' || n, v, 'Text ' || v, 'text ' || v
  FROM generate_series(1, ${documents}) n, generate_series(1, 2) v`;

/** A small, fast generator, so that a seed is a history. */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export interface ChaosOptions {
  seed: number;
  /** On each side; more until a file has met a change that it does not know, for a minute at most. */
  changes: number;
  /** How often something is killed. */
  killEveryMilliseconds: number;
}

/**
 * People change an application, and callers the gateway, on the same records, while the application sends and takes in
 * every 50 ms, and processes and PostgreSQL are killed. Returns what is wrong at the end.
 */
export async function runChaos(options: ChaosOptions) {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    return await run(options, ends);
  } finally {
    for (const end of ends.toReversed()) await end().catch(() => {});
  }
}

async function run({ seed, changes, killEveryMilliseconds }: ChaosOptions, ends: (() => Promise<unknown>)[]) {
  const random = randomOf(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const postgres = await startPostgres();
  ends.push(postgres.stop);
  await applyMigrations(postgres.url, migrationsDirectory);
  await query(postgres.url, 'CREATE DATABASE application');
  const applicationUrl = Object.assign(new URL(postgres.url), { pathname: 'application' }).href;
  const problems: string[] = [];
  const counts = {
    lines: 0,
    files: 0,
    unknowing: 0,
    refused: 0,
    failed: 0,
    started: 0,
    killed: 0,
    changes: 0,
    operations: 0,
    repeated: 0,
  };

  const pool = new pg.Pool({ connectionString: applicationUrl, max: clients });
  pool.on('error', () => {});
  ends.push(() => pool.end());
  await pool.query(textOf('docs/application/schema.sql'));
  await pool.query(firstRows);
  const db = openModels({ url: postgres.url, poolSize: 2, preparedStatements: false });
  ends.push(() => db.$disconnect());
  const loading = await pool.connect();
  const whole = await exportChanges(loading, { isWhole: true });
  if (!whole) throw new Error('there is nothing to load');
  await importFrom(
    db,
    streamSource(() => [Buffer.from(whole.text)]),
  );
  await acknowledge(loading, whole);
  loading.release();
  const { token } = await createToken(db, { companyId: 'acme', personId: 'owner', name: 'chaos', canWrite: true });
  const gateway = await Gateway.start({ DATABASE_URL: postgres.url, PORT: String(await freePort()) });
  ends.push(() => gateway.kill());

  let sync: ChildProcess | undefined;
  let [isOver, isRough] = [false, true];
  let idleSince = Number.NaN;
  ends.push(async () => {
    isOver = true;
    sync?.kill('SIGKILL');
  });

  /** What the application says of each file, and of each time that it has looked. */
  const hear = (line: Json) => {
    counts.lines += 1;
    if (!line.isIdle) idleSince = Number.NaN;
    else idleSince = Number.isNaN(idleSince) ? performance.now() : idleSince;
    if (line.revision) counts.files += 1;
    if (line.unknowing) counts.unknowing += 1;
    if (line.refused) {
      counts.refused += 1;
      const isExpected = /try again/.test(line.refused.join());
      if (!isExpected) problems.push(`refused: ${line.refused.join()}`);
    }
    if (line.failed) counts.failed += 1;
    if (line.failed && !/terminat|recovery|starting up|shutting down|ECONN|not queryable/i.test(line.failed))
      problems.push(`failed: ${line.failed}`);
  };

  const running = (async () => {
    while (!isOver) {
      const child = spawn(
        process.execPath,
        ['--import', 'tsx', pathOf('test/proofs/faults/livingData/syncProcess.ts')],
        {
          cwd: pathOf('.'),
          env: {
            ...process.env,
            APPLICATION_URL: applicationUrl,
            DATABASE_URL: postgres.url,
            GATEWAY: gateway.base ?? 'http://127.0.0.1:9',
            TOKEN: token,
          },
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
      sync = child;
      counts.started += 1;
      const exited = once(child, 'exit');
      for await (const line of createInterface(child.stdout)) hear(JSON.parse(line));
      await exited;
      await sleep(50);
    }
  })();

  /** Texts of versions whose commit the application has seen. */
  const written: [string, string][] = [];
  /** Versions that the gateway has said it has restored. */
  const restored: [string, number][] = [];
  let added = 0;

  /** One change of the application, in its own transaction. */
  async function change(client: pg.PoolClient): Promise<void> {
    const run = (text: string, ...values: unknown[]) => client.query(text, values);
    const text = randomUUID().slice(0, 8);
    const [goal, file, document, folder] = [
      `g${upTo(goals)}`,
      `f${upTo(files)}`,
      `k${upTo(documents)}`,
      `d${upTo(folders)}`,
    ];
    const kind = upTo(9);
    await run('BEGIN');
    if (kind <= 2)
      await run("UPDATE goals SET closed_at = now(), closed_by = 'owner', success = true WHERE id = $1", goal);
    if (kind === 3)
      await run(
        'UPDATE goals SET closed_at = NULL, closed_by = NULL, success = NULL, name = $2 WHERE id = $1',
        goal,
        text,
      );
    if (kind === 4) await run('UPDATE files SET name = $2, folder_id = $3 WHERE id = $1', file, text, folder);
    if (kind === 5)
      await run(
        `UPDATE files SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END,
           deleted_by = CASE WHEN deleted_at IS NULL THEN 'owner' END WHERE id = $1`,
        file,
      );
    if (kind === 6) {
      await run('SELECT id FROM documents WHERE id = $1 FOR UPDATE', document);
      await run(
        'INSERT INTO versions SELECT $1, max(number) + 1, $2, $2 FROM versions WHERE document_id = $1',
        document,
        text,
      );
    }
    if (kind === 7) await run('UPDATE documents SET folder_id = $2 WHERE id = $1', document, folder);
    if (kind === 8) {
      await run('DELETE FROM goal_access WHERE goal_id = $1', goal);
      await run('INSERT INTO goal_access VALUES ($1, $2)', goal, `p${upTo(10)}`);
    }
    if (kind === 9) {
      added += 1;
      await run('INSERT INTO goals VALUES ($1, $2, now(), NULL, true)', `new${added}`, text);
      if (added > 5) await run('DELETE FROM goals WHERE id = $1', `new${added - 5}`);
    }
    await run('COMMIT');
    if (kind === 6) written.push([document, text]);
  }

  const lastEnd = performance.now() + changes * 100 + 60_000;
  const goesOn = (done: number) => done < changes || (counts.unknowing === 0 && performance.now() < lastEnd);

  const ignored = () => {};
  const people = async () => {
    for (; goesOn(counts.changes); counts.changes += 1) {
      const client = await pool.connect().catch(() => undefined);
      client?.on('error', ignored);
      const failed = client
        ? await change(client).then(
            () => false,
            () => true,
          )
        : true;
      client?.off('error', ignored);
      client?.release(failed);
      await sleep(pause * 2 * random());
    }
  };

  /** Sends a request until it is answered. */
  async function ask(path: string, body: Json): Promise<{ status: number; body: Json }> {
    const key = randomUUID();
    for (;;) {
      const response = await fetch(`${gateway.base ?? 'http://127.0.0.1:9'}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(body),
      }).catch(() => undefined);
      const answer = await response?.json().catch(() => undefined);
      if (response && answer && response.status < 500 && !(answer as Json).errors)
        return { status: response.status, body: answer as Json };
      counts.repeated += 1;
      await sleep(50);
    }
  }

  async function operate(): Promise<void> {
    const path = '/api/external/v1/';
    const kind = upTo(4);
    if (kind === 1) await ask(`${path}reopen_goal`, { id: `g${upTo(goals)}` });
    if (kind === 2) await ask(`${path}delete_resource_hub_file`, { file_id: `f${upTo(files)}` });
    if (kind === 3) await ask(`${path}recover_resource_hub_file`, { file_id: `f${upTo(files)}` });
    if (kind < 4) return;
    const id = `k${upTo(documents)}`;
    const read = await ask('/graphql', { query: `{ resourceHubDocument(id: "${id}") { currentVersion } }` });
    const current: number = read.body.data.resourceHubDocument.currentVersion;
    const input = { document_id: id, version_number: upTo(current), expected_current_version: current };
    const { status, body } = await ask(`${path}documents/restore_document_version`, input);
    if (status === 200 && body.restored_version?.origin === 'restored')
      restored.push([id, body.restored_version.version_number]);
  }

  const callers = async () => {
    for (; goesOn(counts.operations); counts.operations += 1) {
      await operate();
      await sleep(pause * 2 * random());
    }
  };

  const killing = (async () => {
    await until(
      async () => counts.lines,
      (lines) => lines > 0,
    );
    for (let turn = 0; isRough; turn += 1) {
      await sleep(killEveryMilliseconds * (0.5 + random()));
      // On a slow machine, too, some files arrive: without them there is nothing to lose.
      const sent = counts.files;
      for (const end = performance.now() + 20_000; isRough && counts.files === sent && performance.now() < end; )
        await sleep(100);
      if (!isRough) return;
      counts.killed += 1;
      if (turn % 3 === 0) sync?.kill('SIGKILL');
      else if (turn % 3 === 1) {
        await gateway.kill();
        await gateway.restart();
      } else {
        await postgres.kill();
        await postgres.start();
      }
    }
  })();

  await until(
    async () => counts.lines,
    (lines) => lines > 0,
  );
  const started = performance.now();
  const own = Array.from({ length: clients }, people);
  await Promise.all([...own, ...Array.from({ length: clients }, callers)]);
  const seconds = (performance.now() - started) / 1000;
  // From now on nobody changes or kills anything: both sides must agree soon.
  isRough = false;
  await killing;
  idleSince = Number.NaN;
  for (const end = performance.now() + 60_000; !(performance.now() - idleSince > idleMilliseconds); ) {
    if (performance.now() > end) {
      problems.push('the application has something to send for ever');
      break;
    }
    await sleep(100);
  }
  isOver = true;
  sync?.kill('SIGTERM');
  await running;

  // All times and persons are equal, too.
  const [here] = await query(postgres.url, ofGateway);
  const { rows } = await pool.query(ofApplication);
  const [one, other] = [(here as Json).records, rows[0].records];
  for (const kind of Object.keys(one))
    for (const id of new Set([...Object.keys(one[kind]), ...Object.keys(other[kind])]))
      if (JSON.stringify(one[kind][id]) !== JSON.stringify(other[kind][id]))
        problems.push(
          `${kind}/${id}: the gateway has ${JSON.stringify(one[kind][id])}, the application ${JSON.stringify(other[kind][id])}`,
        );
  for (const [id, text] of written)
    if (!one.documents[id].versions.some((version: Json) => version.text === text))
      problems.push(`documents/${id}: the version "${text}" is lost`);
  for (const [id, number] of restored)
    if (one.documents[id].versions[number - 1]?.from == null)
      problems.push(`documents/${id}: the restore that was said to be version ${number} is lost`);
  return { problems, seconds, counts: { ...counts, edits: written.length, restores: restored.length } };
}
