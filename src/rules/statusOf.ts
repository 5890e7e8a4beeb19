import type { ProgressStatus } from '../generated/client/enums.js';
import { isOutdated, type Schedule } from './isOutdated.js';

interface Goal extends Schedule {
  success: boolean | null;
  /** Newest first; only the first counts. */
  progressUpdates: { status: ProgressStatus }[];
}

/** The status of a goal: how it was closed, or how it is going according to its last check-in. */
export function statusOf(goal: Goal, now: Date): ProgressStatus | 'achieved' | 'missed' | 'outdated' {
  if (goal.closedAt) return goal.success ? 'achieved' : 'missed';
  return isOutdated(goal, now) ? 'outdated' : (goal.progressUpdates[0]?.status ?? 'pending');
}
