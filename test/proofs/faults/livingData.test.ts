import { expect, test } from 'vitest';
import { seedOf } from '../../support/seedOf.js';
import { runChaos } from './livingData/chaos.js';

const seed = seedOf('LIVING_DATA_SEED');
const changes = Number(process.env.LIVING_DATA_CHANGES ?? 1000);
const killEveryMilliseconds = Number(process.env.LIVING_DATA_KILL_MS ?? 4000);

test(
  `two sides that change the same records agree without loss, whatever is killed (LIVING_DATA_SEED=${seed})`,
  async () => {
    const { problems, seconds, counts } = await runChaos({ seed, changes, killEveryMilliseconds });
    console.log(`${seconds.toFixed(0)} s: ${JSON.stringify(counts)}`);
    expect(problems).toEqual([]);
    expect(Math.min(counts.files, counts.unknowing, counts.killed, counts.edits, counts.restores)).toBeGreaterThan(0);
  },
  180_000 + changes * 200,
);
