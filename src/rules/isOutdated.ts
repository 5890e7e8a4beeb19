import type { Goal } from '../generated/client/client.js';

export type Schedule = Pick<Goal, 'closedAt' | 'archivedAt' | 'nextUpdateScheduledAt'>;

const graceDays = 3;
const utcDay = (date: Date) => Math.floor(date.getTime() / 86_400_000);

/** Whether the next check-in on an open goal is more than 3 days (UTC dates) overdue, or not scheduled. */
export function isOutdated({ closedAt, archivedAt, nextUpdateScheduledAt }: Schedule, now: Date): boolean {
  if (closedAt || archivedAt) return false;
  return !nextUpdateScheduledAt || utcDay(now) - utcDay(nextUpdateScheduledAt) > graceDays;
}
