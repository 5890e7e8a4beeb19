import { UsageError } from './usageError.js';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const longest = 36_500 * units.d;

/** The milliseconds of a duration such as `30d`, `12h` or `45m`. Throws a UsageError that names the option. */
export function readDuration(option: string, duration: string): number {
  const [, count, unit] = /^(\d{1,9})([mhd])$/.exec(duration) ?? [];
  const milliseconds = Number(count) * units[unit as keyof typeof units];
  if (!(milliseconds > 0 && milliseconds <= longest)) {
    throw new UsageError(
      `${option} takes a duration such as 30d, 12h or 45m, at most 36500d, not ${JSON.stringify(duration)}`,
    );
  }
  return milliseconds;
}
