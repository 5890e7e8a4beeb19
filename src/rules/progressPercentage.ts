import type { GoalCheck, Target } from '../generated/client/client.js';

type Measure = Pick<Target, 'from' | 'to' | 'value'>;

/**
 * The mean of the progress of each target and of the checklist as a whole, 0 to 100, rounded to two decimals; 0 if there
 * is neither.
 */
export function progressPercentage(targets: Measure[], checklist: Pick<GoalCheck, 'completed'>[]): number {
  const parts = targets.map(progressOf);
  if (checklist.length > 0)
    parts.push((checklist.filter(({ completed }) => completed).length / checklist.length) * 100);
  if (parts.length === 0) return 0;
  const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
  return Math.round(mean * 100) / 100;
}

function progressOf({ from, to, value }: Measure): number {
  if (from === to) return 0;
  const reached = Math.min(Math.max(value, Math.min(from, to)), Math.max(from, to));
  // The difference of large numbers is infinite, but not that of their halves.
  const scale = Number.isFinite(to - from) ? 1 : 2;
  return ((reached / scale - from / scale) / (to / scale - from / scale)) * 100;
}
