import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { violationsIn } from './check.js';
import { Client, type Known } from './client.js';
import { loggedFaults } from './gateway.js';
import { isShed } from './history.js';
import { listen } from './listeners.js';
import type { Plan } from './plan.js';
import { takeHashes } from './snapshot.js';
import type { System } from './system.js';

const slowest = 60_000;

/** Runs a plan on a new workspace. Returns what went wrong, and how many requests had which status. */
export async function runPlan(system: System, { clients, disasters }: Plan) {
  const history = await system.begin(`h${randomUUID().slice(0, 8)}`);
  const problemsOfListeners = await listen(system, history);
  const known: Known = new Map();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      await takeHashes(system.pool, history.prefix, history.hashes);
      await sleep(200);
    }
  })();
  await Promise.all([
    strike(system, disasters),
    ...clients.map((steps, number) => new Client(system, history, { number, known }).run(steps)),
  ]);
  isOver = true;
  await watching;
  await system.quiet();
  const violations = [...(await violationsIn(system.pool, history, slowest)), ...(await problemsOfListeners())];
  const attempts = history.mutations.flatMap((mutation) => mutation.attempts);
  const unavailable = attempts
    .filter((attempt) => attempt.status === 503 && !isShed(attempt))
    .map(({ text }) => `503 without a disaster: ${text}`);
  const undue = disasters.length > 0 ? [] : unavailable;
  return {
    violations: [...violations, ...loggedFaults(system.gateways, attempts), ...undue],
    statuses: attempts.map(({ status }) => status),
  };
}

/** One disaster after the other; a killed gateway comes back while the other one serves. */
async function strike({ postgres, pool, gateways }: System, disasters: Plan['disasters']): Promise<void> {
  for (const { kind, after, which } of disasters) {
    await sleep(after);
    const gateway = gateways[which % gateways.length];
    if (kind === 'backends')
      await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'goalpost'");
    else if (kind === 'postgres') {
      await postgres.kill();
      await postgres.start();
    } else if (gateway) {
      await gateway.kill();
      void gateway.restart();
    }
  }
}
