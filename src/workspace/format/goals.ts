import * as z from 'zod';
import { ContextualDateType, ProgressStatus } from '../../generated/client/enums.js';
import {
  access,
  accessLevels,
  activityFields,
  comments,
  date,
  flag,
  float,
  id,
  insertedAt,
  integer,
  listOf,
  name,
  optional,
  ownId,
  personId,
  reactions,
  recordOf,
  reference,
  shortText,
  text,
  times,
  timestamp,
} from './fields.js';

const contextualDate = z.strictObject({
  date_type: z.enum(ContextualDateType).describe('how exact the date is'),
  value: name('the date as displayed, such as "Q3 2026"'),
  date: date('the day it stands for'),
});

/** When work on a goal starts, and when it is due. */
const timeframe = z.strictObject({
  contextual_start_date: optional(contextualDate.describe('when work starts')),
  contextual_end_date: optional(contextualDate.describe('when it is due')),
});

const target = recordOf('targets', {
  id: ownId(),
  index: optional(integer('position; default: as listed', 0)),
  name: name('what is measured'),
  from: float('value at the start'),
  to: float('value to reach, higher or lower than `from`'),
  value: float('current value'),
  unit: optional(shortText('unit of the values')),
});

const check = recordOf('goal_checks', {
  id: ownId(),
  index: optional(integer('position; default: as listed', 0)),
  name: name('what to do'),
  completed: flag('whether it is done'),
  ...times(),
});

const progressUpdate = recordOf('goal_progress_updates', {
  id: ownId(),
  author_id: personId('who checked in'),
  status: z.enum(ProgressStatus).describe('how it is going; the latest check-in decides the status of an open goal'),
  message: optional(text('plain text or a ProseMirror document as a string')),
  acknowledged_at: optional(timestamp('when it was acknowledged')),
  acknowledging_person_id: optional(personId('who acknowledged it')),
  comments: comments(),
  reactions: reactions(),
  inserted_at: insertedAt(),
}).superRefine((update, { addIssue }) => {
  const missing = update.acknowledged_at === null ? 'acknowledged_at' : 'acknowledging_person_id';
  if ((update.acknowledged_at === null) !== (update.acknowledging_person_id === null))
    addIssue({ code: 'custom', path: [missing], message: 'is required once acknowledged' });
});

const retrospective = recordOf('goal_retrospectives', {
  id: ownId(),
  author_id: personId('who wrote it'),
  title: name('its title'),
  content: text('plain text or a ProseMirror document as a string'),
  comments: comments(),
  inserted_at: insertedAt(),
});

const outcome = z.strictObject({
  success: flag('whether it had been achieved'),
  closed_at: timestamp('when it had been closed'),
  closed_by_id: optional(personId('who had closed it')),
});

const activity = z
  .strictObject({
    ...activityFields('goal'),
    undone_outcome: optional(outcome.describe('the outcome that was undone; only for `goal_reopened`')),
  })
  .superRefine(({ action, undone_outcome: undone }, { addIssue }) => {
    if (undone !== null && action !== 'goal_reopened')
      addIssue({ code: 'custom', path: ['undone_outcome'], message: 'is only for goal_reopened' });
  });

export const goal = recordOf('goals', {
  id: id(),
  space_id: reference('spaces', 'the space it is in'),
  parent_goal_id: optional(reference('goals', 'the goal it is part of')),
  name: name('what to achieve'),
  description: optional(text('plain text or a ProseMirror document as a string')),
  champion_id: optional(personId('who drives it; has full access')),
  reviewer_id: optional(personId('who reviews it; has full access')),
  timeframe: optional(timeframe.describe('when it starts and is due')),
  access_levels: accessLevels('`company` and `space` of its space, and 0 for `public`'),
  access: access(),
  targets: listOf(target).describe('how progress is measured'),
  checklist: listOf(check).describe('steps to take'),
  progress_updates: listOf(progressUpdate).describe('check-ins; the one with the latest `inserted_at` counts'),
  retrospectives: listOf(retrospective).describe('retrospectives; the one with the latest `inserted_at` is shown'),
  activities: listOf(activity).describe('what happened to it'),
  next_update_scheduled_at: optional(timestamp('when the next check-in is due; without it an open goal is outdated')),
  closed_at: optional(timestamp('when it was closed; null: open')),
  closed_by_id: optional(personId('who closed it')),
  success: optional(z.boolean().describe('whether it was achieved; required for a closed goal, else omitted')),
  archived_at: optional(timestamp('when it was archived')),
  ...times(),
}).superRefine((record, { addIssue }) => {
  const issue = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
  const isClosed = record.closed_at !== null;
  if (isClosed && record.success === null) issue('success', 'is required for a closed goal');
  if (!isClosed && record.success !== null) issue('success', 'is only for a closed goal');
  if (!isClosed && record.closed_by_id !== null) issue('closed_by_id', 'is only for a closed goal');
});

export const project = recordOf('projects', {
  id: id(),
  space_id: reference('spaces', 'the space it is in'),
  goal_id: optional(reference('goals', 'the goal it works towards')),
  name: name('what is being worked on'),
  description: optional(text('plain text or a ProseMirror document as a string')),
  status: z.enum(ProgressStatus).default('pending').describe('how it is going'),
  champion_id: optional(personId('who drives it; has full access')),
  reviewer_id: optional(personId('who reviews it; has full access')),
  access_levels: accessLevels('`company` and `space` of its space, and 0 for `public`'),
  access: access(),
  closed_at: optional(timestamp('when it was closed; null: open')),
  ...times(),
});
