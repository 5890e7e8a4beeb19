import { afterAll, expect, test } from 'vitest';
import { attacks } from '../../../tools/attacks/attacks.js';
import { setScene } from '../../../tools/attacks/scene.js';
import { suffer } from '../../../tools/attacks/suffer.js';

const scene = await setScene();
afterAll(() => scene.stop());

const heap = 512;
const settings = { NODE_OPTIONS: `--max-old-space-size=${heap}` };

// How long the victim waits is measured by `npx tsx tools/attacks/run.ts`, on a machine that does nothing else.
test.each(Object.entries(attacks))(
  '%s: others get 200, and the gateway serves on',
  { timeout: 60_000 },
  async (_, attack) => {
    const { attacked, outcomes, megabytes, isAlive } = await suffer(attack, scene, {
      seconds: 2,
      secondsAlone: 0.1,
      settings,
    });
    expect(Object.keys(attacked.statuses)).toEqual(['200']);
    expect(Object.values(outcomes).length).toBeGreaterThan(0);
    expect(megabytes.most).toBeLessThan(1.5 * heap);
    expect(isAlive).toBe(true);
  },
);
