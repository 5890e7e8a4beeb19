import { builder } from '../builder.js';
import { newestFirst } from '../order.js';

export const GoalStatus = builder.enumType('GoalStatus', {
  description: 'How a goal stands.',
  values: {
    ON_TRACK: { value: 'on_track', description: 'Open; going as planned.' },
    CAUTION: { value: 'caution', description: 'Open; needs attention.' },
    OFF_TRACK: { value: 'off_track', description: 'Open; will not be reached as things stand.' },
    ACHIEVED: { value: 'achieved', description: 'Closed; reached.' },
    MISSED: { value: 'missed', description: 'Closed; not reached.' },
    OUTDATED: { value: 'outdated', description: 'Open; its update is overdue.' },
    PENDING: { value: 'pending', description: 'Open; no check-in yet.' },
    PAUSED: { value: 'paused', description: 'Open; resting.' },
  } as const,
});

export const GoalRole = builder.enumType('GoalRole', {
  description: "A person's role in a goal.",
  values: {
    CHAMPION: { value: 'champion', description: 'Leads the goal.' },
    REVIEWER: { value: 'reviewer', description: 'Reviews the goal.' },
  } as const,
});

/** The arguments that select the latest of a goal's check-ins or retrospectives. */
export const latest = { ...newestFirst, take: 1 };

export function roleOf(goal: { championId: string | null; reviewerId: string | null }, personId: string) {
  if (goal.championId === personId) return 'champion';
  return goal.reviewerId === personId ? 'reviewer' : null;
}

interface Schedule {
  closedAt: Date | null;
  archivedAt: Date | null;
  nextUpdateScheduledAt: Date | null;
}

const graceDays = 3;
const utcDay = (date: Date) => Math.floor(date.getTime() / 86_400_000);

export function isOutdated({ closedAt, archivedAt, nextUpdateScheduledAt }: Schedule, now: Date): boolean {
  if (closedAt || archivedAt) return false;
  return !nextUpdateScheduledAt || utcDay(now) - utcDay(nextUpdateScheduledAt) > graceDays;
}

type Reported = 'pending' | 'on_track' | 'caution' | 'off_track' | 'paused';

export function statusOf(
  goal: Schedule & { success: boolean | null; progressUpdates: { status: Reported }[] },
  now: Date,
) {
  if (goal.closedAt) return goal.success ? 'achieved' : 'missed';
  return isOutdated(goal, now) ? 'outdated' : (goal.progressUpdates[0]?.status ?? 'pending');
}
