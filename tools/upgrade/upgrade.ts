import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashToken } from '../../src/tokens.js';
import { violationsIn } from '../consistency/check.js';
import { Client } from '../consistency/client.js';
import { loggedFaults } from '../consistency/gateway.js';
import { History } from '../consistency/history.js';
import { type System, startSystem } from '../consistency/system.js';
import { audienceIn, clientCount, competedWorkspace } from '../consistency/workspace.js';
import { stepsUntil } from '../faults/load.js';
import type { Program } from './program.js';
import { Reader } from './reader.js';

const slowest = 60_000;
const usual = [200, 404, 409];

/** So patient that only the upgrade is a reason for a 503, however slow the machine is. */
const patient = {
  DATABASE_TIMEOUT_MS: '40000',
  DATABASE_STATEMENT_TIMEOUT_MS: '30000',
  MAX_CONCURRENT_REQUESTS: '1000',
};

export interface Upgrade {
  /** The migrations that were applied while clients read and wrote. */
  applied: string[];
  /** How many requests had which status; 0 for those without an answer. */
  statuses: Record<string, number>;
  longestMilliseconds: number;
  /** Answers that clients would not get without the upgrade. */
  failures: string[];
  /** What clients were told and the database does not have, or has otherwise. */
  violations: string[];
  /** What the database is asked after the upgrade. */
  sql: System['pool'];
  stop(): Promise<void>;
}

/** Two gateways of the old program serve while the newer one migrates their database, and are then replaced, one by one. */
export async function upgrade(old: Program, newer: Program, around = 2_000): Promise<Upgrade> {
  const started = await startSystem({ main: old.main, migrations: old.migrations, settings: patient });
  const system = { ...started, issueToken: (personId: string) => issueToken(started, personId) };
  const { gateways, pool, postgres } = system;
  const settings = { DATABASE_URL: postgres.url };
  const prefix = 'u1';
  await importWith(old, settings, competedWorkspace(prefix));
  const history = new History(prefix, audienceIn(prefix));
  let isOver = false;
  const running = Array.from({ length: clientCount }, (_, number) =>
    new Client(system, history, { number, known: new Map() }).run(stepsUntil(() => isOver, number + 1)),
  );
  const reader = new Reader(system, `${prefix}-client-0`);
  running.push(reader.run(() => isOver));

  await sleep(around);
  const printed = await newer.run(settings, 'migrate');
  await sleep(around);
  // An old one that crashes now must be able to start again.
  for (const main of [old.main, newer.main])
    for (const gateway of gateways) {
      await gateway.replace(main);
      await sleep(around / 2);
      if (main === old.main) break;
    }
  isOver = true;
  await Promise.all(running);
  await system.quiet();

  const attempts = history.mutations.flatMap((mutation) => mutation.attempts);
  const statuses: Record<string, number> = {};
  for (const { status } of [...attempts, ...reader.answers]) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    applied: [...printed.matchAll(/^applied (.*)$/gm)].map(([, name = '']) => name),
    statuses,
    failures: [...attempts, ...reader.answers]
      .filter(({ status }) => !usual.includes(status))
      .map(({ status, text }) => `${status} ${text}`),
    longestMilliseconds: Math.max(...attempts.map(({ sent, answered }) => answered - sent)),
    violations: [...(await violationsIn(pool, history, slowest)), ...loggedFaults(gateways, attempts)],
    sql: pool,
    stop: system.stop,
  };
}

/** The old program imports, as its database has the old structure. */
async function importWith(program: Program, settings: Record<string, string>, workspace: object): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'goalpost-upgrade-'));
  const file = join(folder, 'workspace.json');
  await writeFile(file, JSON.stringify(workspace));
  await program.run(settings, 'import', file);
  await rm(folder, { recursive: true });
}

async function issueToken({ pool }: System, personId: string): Promise<{ id: string; token: string }> {
  const token = `gp_${crypto.randomUUID().replaceAll('-', '').padEnd(43, '0')}`;
  const { rows } = await pool.query(
    `WITH person AS (SELECT company_id, id FROM people WHERE id = $1),
      known AS (INSERT INTO token_companies (company_id, hash) SELECT company_id, $2 FROM person)
    INSERT INTO api_tokens (company_id, person_id, name, hash, last_four, can_write)
    SELECT company_id, id, 'upgrade', $2, right($3, 4), true FROM person RETURNING id`,
    [personId, Buffer.from(hashToken(token)), token],
  );
  return { id: rows[0].id, token };
}
