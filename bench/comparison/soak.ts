import { residentMegabytes } from '../../test/support/processes.js';
import { startContender } from './contenders.js';
import { startDatabase } from './database.js';
import type { Sizes } from './dataset.js';
import { type Measured, measure } from './measure.js';
import { Workloads } from './workloads.js';

/** One minute of the mix, and the memory of the gateway at its end. */
export interface SoakMinute extends Measured {
  megabytes: number;
}

const connections = 4;
const secondsOfAMinute = 60;

/** Puts the mix on the gateway for some minutes, without a pause. */
export async function soak(
  minutes: number,
  sizes: Sizes,
  onMinute: (minute: SoakMinute) => void,
): Promise<SoakMinute[]> {
  const database = await startDatabase(sizes);
  const gateway = await startContender('gateway', database.url);
  const all: SoakMinute[] = [];
  try {
    const plan = { database, workloads: new Workloads(sizes), seconds: secondsOfAMinute };
    for (let minute = 1; minute <= minutes; minute += 1) {
      const measured = await measure(gateway, 'mix', { connections }, minute, plan);
      all.push({ ...measured, megabytes: residentMegabytes(gateway.pid) });
      for (const one of all.slice(-1)) onMinute(one);
    }
  } finally {
    await gateway.stop();
    await database.stop();
  }
  return all;
}
