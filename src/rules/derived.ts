import type { Goal, GoalCheck, Person as PersonRow, Target } from '../generated/client/client.js';
import type { ContextualDateType, ProgressStatus } from '../generated/client/enums.js';

type People = Pick<Goal, 'championId' | 'reviewerId'>;

/** A person's role in a goal; whoever is both champion and reviewer is the champion. */
export function roleOf({ championId, reviewerId }: People, personId: string): 'champion' | 'reviewer' | null {
  if (championId === personId) return 'champion';
  return reviewerId === personId ? 'reviewer' : null;
}

/** The access that a goal, project or space gives to groups of people. */
export type Levels = Pick<Goal, 'publicLevel' | 'companyLevel' | 'spaceLevel'>;

/** The widest group of people that a goal or project is open to, by its access levels. */
export function privacyOf({ publicLevel, companyLevel, spaceLevel }: Levels) {
  if (publicLevel > 0) return 'public';
  if (companyLevel > 0) return 'internal';
  return spaceLevel > 0 ? 'confidential' : 'secret';
}

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

interface Course extends Schedule {
  success: boolean | null;
  /** Newest first; only the first counts. */
  progressUpdates: { status: ProgressStatus }[];
}

/** The status of a goal: how it was closed, or how it is going according to its last check-in. */
export function statusOf(goal: Course, now: Date): ProgressStatus | 'achieved' | 'missed' | 'outdated' {
  if (goal.closedAt) return goal.success ? 'achieved' : 'missed';
  return isOutdated(goal, now) ? 'outdated' : (goal.progressUpdates[0]?.status ?? 'pending');
}

export type Schedule = Pick<Goal, 'closedAt' | 'archivedAt' | 'nextUpdateScheduledAt'>;

const graceDays = 3;
const utcDay = (date: Date) => Math.floor(date.getTime() / 86_400_000);

/** Whether the next check-in on an open goal is more than 3 days (UTC dates) overdue, or not scheduled. */
export function isOutdated({ closedAt, archivedAt, nextUpdateScheduledAt }: Schedule, now: Date): boolean {
  if (closedAt || archivedAt) return false;
  return !nextUpdateScheduledAt || utcDay(now) - utcDay(nextUpdateScheduledAt) > graceDays;
}

type Measure = Pick<Target, 'from' | 'to' | 'value'>;

/** The mean progress of the targets and of the checklist as a whole, 0 to 100, with two decimals; 0 if there is neither. */
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

type Member = Pick<PersonRow, 'id' | 'fullName' | 'title' | 'suspendedAt'>;

interface Concerned<Person> {
  champion?: Person | null;
  reviewer?: Person | null;
  space: { members: { person: Person }[] };
}

interface List {
  subscriptions: { personId: string; canceled: boolean }[];
}

export interface PotentialSubscriber<Person> {
  role: string | null;
  priority: boolean;
  isSubscribed: boolean;
  person: Person;
}

const collator = new Intl.Collator('en');

/** Champion and reviewer first, then the members of the space by name; each person once, and nobody suspended. */
export function potentialSubscribers<Person extends Member>(
  { champion, reviewer, space }: Concerned<Person>,
  list: List | null | undefined,
): PotentialSubscriber<Person>[] {
  const subscribed = new Set(list?.subscriptions.filter(({ canceled }) => !canceled).map(({ personId }) => personId));
  const found = new Map<string, PotentialSubscriber<Person>>();
  const add = (person: Person | null | undefined, role: string | null | undefined, priority: boolean) => {
    if (!person || person.suspendedAt || found.has(person.id)) return;
    found.set(person.id, { role: role ?? null, priority, isSubscribed: subscribed.has(person.id), person });
  };
  add(champion, 'Champion', true);
  add(reviewer, 'Reviewer', true);
  const members = space.members.map(({ person }) => person);
  members.sort((a, b) => collator.compare(a.fullName, b.fullName) || (a.id < b.id ? -1 : 1));
  for (const member of members) add(member, member.title, false);
  return [...found.values()];
}
