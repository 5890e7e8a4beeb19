import { UsageError } from './usageError.js';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The milliseconds of a duration such as `30d`, `12h` or `45m`. Throws a UsageError that names the option. */
export function readDuration(option: string, duration: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(duration) ?? [];
  if (!count || !unit || Number(count) === 0) {
    throw new UsageError(`${option} takes a duration such as 30d, 12h or 45m, not ${JSON.stringify(duration)}`);
  }
  return Number(count) * units[unit as keyof typeof units];
}
