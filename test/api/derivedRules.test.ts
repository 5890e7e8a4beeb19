import { describe, expect, test } from 'vitest';
import { isOutdated, privacyOf, progressPercentage, statusOf } from '../../src/rules/derived.js';

const now = new Date('2026-03-14T12:00:00Z');
const open = { closedAt: null, archivedAt: null, nextUpdateScheduledAt: now };
const overdue = new Date('2026-03-10T23:59:59Z');

describe('a goal is outdated', () => {
  test.each([
    ['when its update is 4 days late', { nextUpdateScheduledAt: overdue }, true],
    ['not when its update is 3 days late', { nextUpdateScheduledAt: new Date('2026-03-11T00:00:00Z') }, false],
    ['when no update is scheduled', { nextUpdateScheduledAt: null }, true],
    ['not once closed', { nextUpdateScheduledAt: overdue, closedAt: now }, false],
    ['not once archived', { nextUpdateScheduledAt: overdue, archivedAt: now }, false],
  ])('%s', (_when, goal, expected) => {
    expect(isOutdated({ ...open, ...goal }, now)).toBe(expected);
  });
});

describe('the status of a goal', () => {
  const progressUpdates = [{ status: 'caution' as const }, { status: 'on_track' as const }];
  const checkedIn = { ...open, success: null, progressUpdates };

  test.each([
    ['is that of the newest check-in', {}, 'caution'],
    ['is pending before the first check-in', { progressUpdates: [] }, 'pending'],
    ['is outdated when the update is overdue', { nextUpdateScheduledAt: overdue }, 'outdated'],
    ['is that of the check-in when archived', { nextUpdateScheduledAt: overdue, archivedAt: now }, 'caution'],
    ['is achieved when closed with success', { closedAt: now, success: true }, 'achieved'],
    ['is missed when closed without', { closedAt: now, success: false }, 'missed'],
  ])('%s', (_when, goal, expected) => {
    expect(statusOf({ ...checkedIn, ...goal }, now)).toBe(expected);
  });
});

describe('progress', () => {
  const done = { completed: true };
  const undone = { completed: false };

  test.each([
    ['is 0 with neither targets nor a checklist', [], [], 0],
    ['of a falling target counts downwards', [{ from: 20, to: 10, value: 12.5 }], [], 75],
    ['does not exceed 100', [{ from: 0, to: 10, value: 11 }], [], 100],
    ['of a target with the widest range is its share', [{ from: -1e308, to: 1e308, value: 5e307 }], [], 75],
    ['of a target that starts where it ends is 0', [{ from: 5, to: 5, value: 5 }], [], 0],
    [
      'is the mean of all targets and the checklist',
      [
        { from: 0, to: 10, value: 10 },
        { from: 0, to: 10, value: 2 },
      ],
      [undone],
      40,
    ],
    ['is rounded to two decimals', [{ from: 0, to: 22, value: 3 }], [], 13.64],
    ['is rounded once, after the mean', Array(3).fill({ from: 0, to: 3, value: 2 }), [done, undone, undone], 58.33],
  ])('%s', (_what, targets, checklist, expected) => {
    expect(progressPercentage(targets, checklist)).toBe(expected);
  });
});

test.each([
  [10, 100, 100, 'public'],
  [0, 10, 0, 'internal'],
  [0, 0, 10, 'confidential'],
  [0, 0, 0, 'secret'],
])('access levels public %i, company %i, space %i are %s', (publicLevel, companyLevel, spaceLevel, expected) => {
  expect(privacyOf({ publicLevel, companyLevel, spaceLevel })).toBe(expected);
});
