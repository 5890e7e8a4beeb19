import { describe, expect, test } from 'vitest';
import { perform } from '../support/surfaces.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;
const { company, caller, space } = await world.team();
const day = (text: string) => new Date(`${text}Z`);
const soon = day('2026-06-20T00:00:00');

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

test('the status of an open goal is that of its newest check-in', async () => {
  const data = { nextUpdateScheduledAt: soon, ...checkIns('on_track', 'off_track', 'caution') };
  expect(await goalWith(data, 'status')).toEqual({ status: 'CAUTION' });
});

test('the progress of a goal is that of its targets and its checklist', async () => {
  const target = (value: number, index: number) => ({ index, name: 'Sales', from: 0, to: 10, value });
  const checks = [true, false, false, false, false];
  const { progressPercentage } = await goalWith(
    {
      targets: { create: [10, 0].map(target) },
      checklist: { create: checks.map((completed, index) => ({ index, name: 'Ask', completed })) },
    },
    'progressPercentage',
  );
  expect(progressPercentage).toBe(40);
});

test('the privacy of a goal and of its projects follows from their levels', async () => {
  const levels = { publicLevel: 0, companyLevel: 0, spaceLevel: 10 };
  const goal = await world.goal(space, { ...levels, championId: caller.id });
  await world.project(space, { ...levels, championId: caller.id, goalId: goal.id });
  expect(await look(goal.id, 'privacy accessLevels { public company space } projects { privacy }')).toEqual({
    privacy: 'CONFIDENTIAL',
    accessLevels: { public: 0, company: 0, space: 10 },
    projects: [{ privacy: 'CONFIDENTIAL' }],
  });
});

describe('what a goal says of the caller', () => {
  test('my role', async () => {
    expect(await goalWith({ reviewerId: caller.id }, 'myRole')).toEqual({ myRole: 'REVIEWER' });
    const both = { championId: caller.id, reviewerId: caller.id };
    expect(await goalWith(both, 'myRole')).toEqual({ myRole: 'CHAMPION' });
    expect(await goalWith({}, 'myRole')).toEqual({ myRole: null });
  });

  test('notifications are the unread ones about it, newest first', async () => {
    const [goal, other] = [await world.goal(space), await world.goal(space)];
    const friend = await world.person(company);
    const notify = async (goalId: string, hour: number, personId = caller.id, readAt: Date | null = null) => {
      const insertedAt = new Date(Date.UTC(2026, 5, 1, hour));
      const activity = await world.activity(friend, { action: 'goal_created', goalId, insertedAt });
      const of = { ...company, activityId: activity.id, personId };
      return (await db.notification.create({ data: { ...of, readAt, insertedAt } })).id;
    };
    const [first, last] = [await notify(goal.id, 1), await notify(goal.id, 3)];
    const middle = await notify(goal.id, 2);
    await notify(goal.id, 4, caller.id, soon);
    await notify(goal.id, 5, friend.id);
    await notify(other.id, 6);
    const { notifications } = await look(goal.id, 'notifications { id read readAt activity { action author { id } } }');
    const seen = { read: false, readAt: null, activity: { action: 'GOAL_CREATED', author: { id: friend.id } } };
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
      'lastCheckInId lastCheckIn { id status commentsCount acknowledged acknowledgedAt acknowledgingPerson { id } }';
    const lastCheckIn = { id: update.id, status: 'CAUTION', commentsCount: 2 };
    const unseen = { acknowledged: false, acknowledgedAt: null, acknowledgingPerson: null };
    expect(await look(goal.id, shown)).toEqual({
      lastCheckInId: update.id,
      lastCheckIn: { ...lastCheckIn, ...unseen },
    });
    await db.goalProgressUpdate.updateMany({
      where: { id: update.id },
      data: { acknowledgedAt: soon, acknowledgedById: caller.id },
    });
    const seen = {
      acknowledged: true,
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
    expect(await look(goal.id, 'retrospective { title commentCount }')).toEqual({
      retrospective: { title: 'Second', commentCount: 1 },
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
    ['an end', end, { contextualStartDate: null, contextualEndDate }],
    ['nothing', {}, null],
  ])('has %s', async (_, data, timeframe) => {
    const shown = 'timeframe { contextualStartDate { dateType value date } contextualEndDate { dateType value date } }';
    expect(await goalWith(data, shown)).toEqual({ timeframe });
  });
});
