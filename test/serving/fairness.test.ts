import { beforeAll, describe, expect, test } from 'vitest';
import { rows, victim } from '../../tools/simulation/rows.js';
import { quantile, simulate } from '../../tools/simulation/simulation.js';

const milliseconds = 10_000;
let alone: number[];

beforeAll(async () => {
  alone = (await simulate([victim], milliseconds))[0]?.milliseconds ?? [];
});

/** How much longer the victim's requests take beside an attack: the median, and the longest but 1 %. */
async function ratiosOf(name: string, isFair: boolean) {
  const row = rows[name];
  if (!row) throw new Error(name);
  const [seen] = await simulate([victim, row], milliseconds, isFair);
  const ratioOf = (part: number) => quantile(seen?.milliseconds ?? [], part) / quantile(alone, part);
  return { p50: ratioOf(0.5), p99: ratioOf(0.99) };
}

describe.sequential('the scheduler, simulated', () => {
  test.each(Object.keys(rows))('keeps a caller of another company unharmed beside %s', async (name) => {
    const { p50, p99 } = await ratiosOf(name, true);
    expect(p50).toBeLessThanOrEqual(2);
    expect(p99).toBeLessThanOrEqual(5);
  });

  test.each(Object.keys(rows))('is what keeps it unharmed: one queue for all does not, beside %s', async (name) => {
    const [fair, unfair] = [await ratiosOf(name, true), await ratiosOf(name, false)];
    expect(Math.max(unfair.p50, unfair.p99)).toBeGreaterThan(1.2 * Math.max(fair.p50, fair.p99));
  });
});
