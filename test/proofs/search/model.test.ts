import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plans } from '../../../tools/consistency/plan.js';
import { runPlan } from '../../../tools/consistency/run.js';
import { type System, startSystem } from '../../../tools/consistency/system.js';
import { seedOf } from '../../support/seedOf.js';

const seconds = Number(process.env.MODEL_SECONDS ?? 20);
const firstSeed = seedOf('MODEL_SEED');
const shrinkSeconds = Number(process.env.MODEL_SHRINK_SECONDS ?? 60);

let system: System;
let started = 0;

// Commits take a moment, and statements and commits lose to another transaction now and then: that makes the races wide.
const disturbances = `
  CREATE FUNCTION disturb() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_sleep(random() * 0.01);
    IF random() < 0.03 THEN RAISE EXCEPTION 'disturbed' USING ERRCODE = '40001'; END IF;
    RETURN NULL;
  END
  $$;
  CREATE TRIGGER disturb_statement AFTER INSERT ON activities FOR EACH ROW EXECUTE FUNCTION disturb();
  CREATE CONSTRAINT TRIGGER disturb_commit AFTER INSERT ON activities DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION disturb()`;

/** So patient that only a disaster is a reason for a 503, however slow the machine is. */
const patient = {
  DATABASE_TIMEOUT_MS: '40000',
  DATABASE_STATEMENT_TIMEOUT_MS: '30000',
};

beforeAll(async () => {
  system = await startSystem({ settings: patient, flags: ['deadlock_timeout=50ms'] });
  await system.pool.query(disturbances);
});
afterAll(() => system.stop(), 60_000);

/** Runs one plan; if it fails, looks for a smaller one that fails too, as well as chance allows. */
async function checkPlan(seed: number, statuses: Record<string, number>): Promise<void> {
  let tries = 1;
  let found = '';
  let deadline = Infinity;
  const property = fc.asyncProperty(plans, async (plan) => {
    for (let left = tries; left > 0 && performance.now() < deadline; left -= 1) {
      const run = await runPlan(system, plan);
      for (const status of run.statuses) statuses[status] = (statuses[status] ?? 0) + 1;
      if (run.violations.length === 0) continue;
      tries = 3;
      deadline = Math.min(deadline, performance.now() + shrinkSeconds * 1000);
      found ||= `after ${seed - firstSeed + 1} plans and ${Math.round(performance.now() - started)} ms`;
      throw new Error(run.violations.slice(0, 20).join('\n'));
    }
  });
  await fc.assert(property, { seed, numRuns: 1, unbiased: true }).catch((error: Error) => {
    throw new Error(`MODEL_SEED=${seed} ${found}\n${(error.cause as Error).message}\n${error.message}`);
  });
}

test(
  `what clients are told is what the database holds, whatever is killed (MODEL_SEED=${firstSeed})`,
  async () => {
    const statuses: Record<string, number> = {};
    started = performance.now();
    let plan = 0;
    for (; performance.now() - started < seconds * 1000; plan += 1) await checkPlan(firstSeed + plan, statuses);
    console.log(`${plan} plans from MODEL_SEED=${firstSeed}, requests by status: ${JSON.stringify(statuses)}`);
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '409']));
  },
  (seconds + shrinkSeconds + 120) * 1000,
);
