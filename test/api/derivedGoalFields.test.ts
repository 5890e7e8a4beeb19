import { describe, expect, test } from 'vitest';
import { perform } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;
const { company, caller, space } = await world.team();
const day = (text: string) => new Date(`${text}Z`);
const soon = day('2026-06-20T00:00:00');
const long = day('2026-01-01T00:00:00');

async function look(id: string, selection: string, token = caller.token): Promise<Json> {
  const { body } = await world.graphql(token, `query ($id: ID!) { goal(id: $id) { ${selection} } }`, { id });
  expect(body.errors).toBeUndefined();
  return body.data.goal;
}

const goalWith = async (data: Json, selection: string) => look((await world.goal(space, data)).id, selection);

const checkIns = (...statuses: string[]): Json => ({
  progressUpdates: {
    create: statuses.map((status, hour) => ({
      authorId: caller.id,
      status,
      insertedAt: new Date(Date.UTC(2026, 5, 1, hour)),
    })),
  },
});

describe('the status of a goal', () => {
  const closed = { closedAt: day('2026-05-01T00:00:00') };
  const cases: [string, string, Json][] = [
    ['achieved', 'closed with success', { ...closed, success: true }],
    ['missed', 'closed without success', { ...closed, success: false }],
    [
      'achieved',
      'closed, whatever is overdue and was reported',
      { ...closed, success: true, nextUpdateScheduledAt: long, ...checkIns('off_track') },
    ],
    ['missed', 'closed and archived', { ...closed, success: false, archivedAt: long }],
    ['pending', 'open without a check-in', { nextUpdateScheduledAt: soon }],
    ...['pending', 'on_track', 'caution', 'off_track', 'paused'].map((status): [string, string, Json] => [
      status,
      'open and reported so',
      { nextUpdateScheduledAt: soon, ...checkIns(status) },
    ]),
    [
      'caution',
      'open and last reported so',
      { nextUpdateScheduledAt: soon, ...checkIns('on_track', 'off_track', 'caution') },
    ],
    ['outdated', 'open and overdue, whatever was reported', { nextUpdateScheduledAt: long, ...checkIns('on_track') }],
    ['outdated', 'open and nothing is scheduled', { nextUpdateScheduledAt: null, ...checkIns('on_track') }],
    [
      'on_track',
      'open, overdue and archived',
      { nextUpdateScheduledAt: long, archivedAt: long, ...checkIns('on_track') },
    ],
  ];
  test.each(cases)('is %s when it is %s', async (status, _, data) => {
    expect(await goalWith(data, 'status')).toEqual({ status: status.toUpperCase() });
  });
});

describe('a goal is outdated', () => {
  const now = (time: string) => `2026-06-15T${time}`;
  const cases: [boolean, string, string, Json][] = [
    [false, 'scheduled later', now('12:00:00'), { nextUpdateScheduledAt: soon }],
    [false, 'scheduled the same day', now('00:00:00'), { nextUpdateScheduledAt: day('2026-06-15T23:59:59.999') }],
    [
      false,
      '3 days past, at the last moment',
      now('23:59:59.999'),
      { nextUpdateScheduledAt: day('2026-06-12T00:00:00') },
    ],
    [
      true,
      '4 days past, at the first moment',
      now('00:00:00'),
      { nextUpdateScheduledAt: day('2026-06-11T23:59:59.999') },
    ],
    [true, 'more than 4 days past', now('12:00:00'), { nextUpdateScheduledAt: long }],
    [true, 'never scheduled', now('12:00:00'), { nextUpdateScheduledAt: null }],
    [false, 'closed', now('12:00:00'), { nextUpdateScheduledAt: long, closedAt: long, success: true }],
    [false, 'archived', now('12:00:00'), { nextUpdateScheduledAt: long, archivedAt: long }],
  ];
  test.each(cases)('%s: when it is %s', async (isOutdated, _, time, data) => {
    const before = world.now;
    world.now = day(time);
    const goal = await goalWith(data, 'isOutdated isClosed isArchived');
    world.now = before;
    expect(goal).toEqual({ isOutdated, isClosed: Boolean(data.closedAt), isArchived: Boolean(data.archivedAt) });
  });
});

describe('the progress of a goal', () => {
  const target = ([from, to, value]: number[], index: number) => ({ index, name: 'Sales', from, to, value });
  const cases: [number, string, number[][], boolean[]][] = [
    [0, 'with neither targets nor checklist', [], []],
    [25, 'of a rising target', [[0, 10, 2.5]], []],
    [60, 'of a falling target', [[10, 0, 4]], []],
    [50, 'between negative numbers', [[-10, 10, 0]], []],
    [100, 'past the goal', [[0, 10, 12]], []],
    [0, 'before the start', [[0, 10, -1]], []],
    [100, 'past the goal, falling', [[10, 0, -5]], []],
    [0, 'before the start, falling', [[10, 0, 11]], []],
    [0, 'when start and goal are the same', [[5, 5, 5]], []],
    [
      50,
      'as the mean of targets',
      [
        [0, 10, 10],
        [0, 10, 0],
      ],
      [],
    ],
    [
      62.5,
      'as the mean of clamped targets',
      [
        [0, 10, 99],
        [0, 10, 2.5],
      ],
      [],
    ],
    [75, 'of a checklist', [], [true, true, true, false]],
    [0, 'of a checklist with nothing done', [], [false]],
    [75, 'of a target and a checklist', [[0, 10, 10]], [true, false]],
    [
      40,
      'of targets and a checklist, which counts like one target',
      [
        [0, 10, 10],
        [0, 10, 0],
      ],
      [true, false, false, false, false],
    ],
  ];
  test.each(cases)('is %d %s', async (expected, _, targets, checks) => {
    const { progressPercentage } = await goalWith(
      {
        targets: { create: targets.map(target) },
        checklist: { create: checks.map((completed, index) => ({ index, name: 'Ask', completed })) },
      },
      'progressPercentage',
    );
    expect(progressPercentage).toBeCloseTo(expected, 10);
  });
});

describe('privacy', () => {
  const cases: [string, number, number, number][] = [
    ['PUBLIC', 10, 0, 0],
    ['PUBLIC', 100, 70, 70],
    ['INTERNAL', 0, 10, 0],
    ['INTERNAL', 0, 70, 100],
    ['CONFIDENTIAL', 0, 0, 10],
    ['SECRET', 0, 0, 0],
  ];
  test.each(cases)(
    'is %s for public %i, company %i, space %i',
    async (privacy, publicLevel, companyLevel, spaceLevel) => {
      const levels = { publicLevel, companyLevel, spaceLevel };
      const goal = await world.goal(space, { ...levels, championId: caller.id });
      await world.project(space, { ...levels, championId: caller.id, goalId: goal.id });
      expect(await look(goal.id, 'privacy accessLevels { public company space } projects { privacy }')).toEqual({
        privacy,
        accessLevels: { public: publicLevel, company: companyLevel, space: spaceLevel },
        projects: [{ privacy }],
      });
    },
  );
});

describe('what a goal says of the caller', () => {
  test.each([
    ['CHAMPION', { championId: caller.id }],
    ['REVIEWER', { reviewerId: caller.id }],
    ['CHAMPION', { championId: caller.id, reviewerId: caller.id }],
    [null, {}],
  ])('my role is %s', async (myRole, data) => {
    expect(await goalWith(data, 'myRole')).toEqual({ myRole });
  });

  test('notifications are the unread ones about it, newest first', async () => {
    const [goal, other] = [await world.goal(space), await world.goal(space)];
    const friend = await world.person(company);
    const notify = async (goalId: string, hour: number, personId = caller.id, readAt: Date | null = null) => {
      const insertedAt = new Date(Date.UTC(2026, 5, 1, hour));
      const activity = await db.activity.create({
        data: {
          action: 'goal_created',
          name: 'Before',
          companyId: friend.companyId,
          authorId: friend.id,
          goalId,
          insertedAt,
        },
      });
      return (
        await db.notification.create({
          data: { companyId: activity.companyId, activityId: activity.id, personId, readAt, insertedAt },
        })
      ).id;
    };
    const [first, last] = [await notify(goal.id, 1), await notify(goal.id, 3)];
    const middle = await notify(goal.id, 2);
    await notify(goal.id, 4, caller.id, soon);
    await notify(goal.id, 5, friend.id);
    await notify(other.id, 6);
    const { notifications } = await look(
      goal.id,
      'notifications { id isRead readAt activity { action author { id } } }',
    );
    const seen = { isRead: false, readAt: null, activity: { action: 'GOAL_CREATED', author: { id: friend.id } } };
    expect(notifications).toEqual([last, middle, first].map((id) => ({ id, ...seen })));
  });
});

describe('the latest', () => {
  test('check-in is shown, with its id, acknowledgement and live comments', async () => {
    const goal = await world.goal(space, checkIns('on_track', 'caution'));
    const update = await db.goalProgressUpdate.findFirstOrThrow({
      where: { goalId: goal.id, status: 'caution' },
    });
    const comment = { companyId: caller.companyId, authorId: caller.id, content: 'Well', progressUpdateId: update.id };
    await db.comment.createMany({ data: [comment, comment, { ...comment, deletedAt: soon }] });
    const shown =
      'lastCheckInId lastCheckIn { id status commentsCount isAcknowledged acknowledgedAt acknowledgingPerson { id } }';
    const lastCheckIn = { id: update.id, status: 'CAUTION', commentsCount: 2 };
    const unseen = { isAcknowledged: false, acknowledgedAt: null, acknowledgingPerson: null };
    expect(await look(goal.id, shown)).toEqual({
      lastCheckInId: update.id,
      lastCheckIn: { ...lastCheckIn, ...unseen },
    });
    await db.goalProgressUpdate.updateMany({
      where: { id: update.id },
      data: { acknowledgedAt: soon, acknowledgedById: caller.id },
    });
    const seen = {
      isAcknowledged: true,
      acknowledgedAt: '2026-06-20T00:00:00.000Z',
      acknowledgingPerson: { id: caller.id },
    };
    expect((await look(goal.id, shown)).lastCheckIn).toEqual({ ...lastCheckIn, ...seen });
  });

  test('retrospective is shown, with its live comments, and kept after reopening', async () => {
    const goal = await world.closedGoal(space);
    const retrospective = (title: string, month: number) =>
      db.goalRetrospective.create({
        data: {
          companyId: goal.companyId,
          goalId: goal.id,
          authorId: caller.id,
          title,
          content: 'Much',
          insertedAt: new Date(Date.UTC(2026, month)),
        },
      });
    const [{ id: retrospectiveId }] = [await retrospective('Second', 2), await retrospective('First', 1)];
    const comment = { companyId: caller.companyId, authorId: caller.id, content: 'Well', retrospectiveId };
    await db.comment.createMany({ data: [comment, { ...comment, deletedAt: soon }] });
    expect(await look(goal.id, 'retrospective { title commentsCount }')).toEqual({
      retrospective: { title: 'Second', commentsCount: 1 },
    });
    const { data } = await perform(world, 'REST', 'reopenGoal', caller.token, { id: goal.id });
    expect(data.goal.retrospective).toMatchObject({ id: retrospectiveId, title: 'Second', comment_count: 1 });
  });
});

describe('a timeframe', () => {
  const start = { startDateType: 'quarter', startDateValue: 'Q1 2026', startDate: day('2026-01-01T00:00:00') };
  const end = { endDateType: 'day', endDateValue: 'Jun 30', endDate: day('2026-06-30T00:00:00') };
  const contextualStartDate = { dateType: 'QUARTER', value: 'Q1 2026', date: '2026-01-01' };
  const contextualEndDate = { dateType: 'DAY', value: 'Jun 30', date: '2026-06-30' };
  test.each([
    ['both ends', { ...start, ...end }, { contextualStartDate, contextualEndDate }],
    ['a start', start, { contextualStartDate, contextualEndDate: null }],
    ['an end', end, { contextualStartDate: null, contextualEndDate }],
    ['nothing', {}, null],
  ])('has %s', async (_, data, timeframe) => {
    const shown = 'timeframe { contextualStartDate { dateType value date } contextualEndDate { dateType value date } }';
    expect(await goalWith(data, shown)).toEqual({ timeframe });
  });
});
