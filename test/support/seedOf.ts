import { randomInt } from 'node:crypto';

/** The seeds of the file that runs, as the environment would say them. */
export const seeds: string[] = [];

/**
 * The seed of a search: the same in each run, so that what fails has changed; with `SEED=random` another one, so that
 * each run tries what none has tried before; or the one that a variable of the environment says. It is printed, also
 * with a failure, so that a run can be repeated.
 */
export function seedOf(variable: string): number {
  const seed = Number(process.env[variable] ?? (process.env.SEED === 'random' ? randomInt(2 ** 31) : 1));
  console.log(`${variable}=${seed}`);
  seeds.push(`${variable}=${seed}`);
  return seed;
}
