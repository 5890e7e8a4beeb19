import type { Goal } from '../generated/client/client.js';
import type { ContextualDateType } from '../generated/client/enums.js';

/** A day, month, quarter or year as people write it, and the calendar day that it stands for. */
export interface ContextualDate {
  type: ContextualDateType;
  value: string;
  date: Date;
}

export interface Timeframe {
  start: ContextualDate | null;
  end: ContextualDate | null;
}

type Columns = Pick<
  Goal,
  'startDateType' | 'startDateValue' | 'startDate' | 'endDateType' | 'endDateValue' | 'endDate'
>;

/** The timeframe in a goal's columns; null if neither start nor end is set. */
export function timeframeOf(goal: Columns): Timeframe | null {
  const start = contextualDate(goal.startDateType, goal.startDateValue, goal.startDate);
  const end = contextualDate(goal.endDateType, goal.endDateValue, goal.endDate);
  return start || end ? { start, end } : null;
}

// The three columns of a date are set together or not at all.
const contextualDate = (type: ContextualDateType | null, value: string | null, date: Date | null) =>
  type && value !== null && date ? { type, value, date } : null;
