import { describe, expect, test } from 'vitest';
import { changesOf, counts, nothing } from '../support/changes.js';
import { perform, surfaces } from '../support/surfaces.js';
import { createWorld, type Json, mentioning } from '../support/world.js';

const world = await createWorld();
const { db } = world;

const reopen = (token: string, input: Json, selection?: string) =>
  perform(world, 'REST', 'reopenGoal', token, input, selection);

const archivedAt = new Date('2026-05-02T00:00:00Z');
const needs70 = (level: number) => ({ required_access: 70, your_access: level });

test.each([
  ['absent', 'REST', {}],
  ['null', 'GraphQL', { id: null }],
] as const)('with its id %s, on %s, reopening does nothing and answers a null goal', async (_, surface, id) => {
  const { caller } = await world.team();
  const input = { ...id, message: 'again', sendNotificationsToEveryone: true, subscriberIds: [caller.id] };
  const [changes, outcome] = await changesOf(world, () => perform(world, surface, 'reopenGoal', caller.token, input));
  expect(outcome).toEqual({ status: 200, data: { goal: null } });
  expect(changes).toEqual(nothing);
});

// Every caller on every record and surface is tried by test/access/isolationOfMutations.test.ts.
test.each<[string, Json, Json]>([
  ['an id that cannot exist', { id: 'a\0b\ud800' }, { status: 404, code: 'NOT_FOUND' }],
  ['an archived invisible one', { spaceLevel: 0, archivedAt }, { status: 404, code: 'NOT_FOUND' }],
  ['one to comment only', { spaceLevel: 40 }, { status: 403, code: 'FORBIDDEN', members: needs70(40) }],
  ['an archived one to view only', { spaceLevel: 10, archivedAt }, { status: 403, code: 'FORBIDDEN' }],
  ['an archived one', { archivedAt }, { status: 409, code: 'GOAL_ARCHIVED' }],
])('reopening %s is refused and nothing changes', async (_, { id, ...data }, expected) => {
  const { caller, space } = await world.team();
  const goal = await world.closedGoal(space, { companyLevel: 0, ...data });
  const input = { id: id ?? goal.id, message: 'again', sendNotificationsToEveryone: true };
  const [changes, outcome] = await changesOf(world, () => reopen(caller.token, input));
  expect(outcome).toMatchObject({ members: {}, ...expected });
  expect(changes).toEqual(nothing);
});

describe.each(surfaces)('reopening a goal through %s', (surface) => {
  test('an unknown person is 400, naming each index, and nothing is written', async () => {
    const { company, caller, space } = await world.team();
    const friend = await world.person(company);
    const stranger = await world.person(await world.company());
    const goal = await world.closedGoal(space);
    const subscriberIds = [friend.id, 'nobody', friend.id, stranger.id, 'no\0body'];
    const [changes, outcome] = await changesOf(world, () =>
      perform(world, surface, 'reopenGoal', caller.token, { id: goal.id, subscriberIds }),
    );
    expect(outcome).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
    expect(outcome.members.errors).toMatchObject(
      [1, 3, 4].map((index) => ({ field: `subscriber_ids[${index}]`, code: 'not_found' })),
    );
    expect(outcome.members.errors[1].message).toBe(`no person ${JSON.stringify(stranger.id)}`);
    expect(changes).toEqual(nothing);
  });
});

test.each<[string, Json, Json | undefined]>([
  ['a message of 100,000 characters is fine', { message: '\u{1F389}'.repeat(100_000) }, undefined],
  ['a message of 100,001 characters is 400', { message: 'a'.repeat(100_001) }, { field: 'message', code: 'too_long' }],
  [
    '10,001 subscriber ids are 400',
    { subscriberIds: Array.from({ length: 10_001 }, (_, n) => `p${n}`) },
    { field: 'subscriber_ids', code: 'too_many' },
  ],
])('%s', async (_, input, error) => {
  const { caller, space } = await world.team();
  const goal = await world.closedGoal(space);
  const outcome = await reopen(caller.token, { id: goal.id, ...input });
  if (error) expect(outcome).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', members: { errors: [error] } });
  else expect(outcome).toMatchObject({ status: 200, data: { goal: { id: goal.id } } });
});

describe('an open goal', () => {
  test('is answered as it is, whatever is said, and nothing happens', async () => {
    const { caller, space } = await world.team();
    const goal = await world.goal(space, { nextUpdateScheduledAt: world.now });
    const input = {
      id: goal.id,
      message: mentioning(caller.id),
      subscriberIds: [caller.id],
      sendNotificationsToEveryone: true,
    };
    const [changes, outcome] = await changesOf(world, () => reopen(caller.token, input));
    expect(outcome).toMatchObject({
      status: 200,
      data: { goal: { id: goal.id, is_closed: false, status: 'pending' } },
    });
    expect(changes).toEqual(nothing);
  });
});

describe('what reopening writes', () => {
  test('is one activity, thread and list, its subscriptions and notifications, and three columns of the goal', async () => {
    const { company, caller, space } = await world.team();
    const [invited, mentioned] = [await world.person(company), await world.person(company)];
    const goal = await world.closedGoal(space, {
      closedById: caller.id,
      championId: caller.id,
      description: 'why',
      nextUpdateScheduledAt: new Date('2026-06-20T00:00:00Z'),
      targets: { create: { index: 0, name: 'Sales', from: 0, to: 10, value: 4 } },
      checklist: { create: { index: 0, name: 'Ask', completed: true } },
      progressUpdates: { create: { authorId: caller.id, status: 'caution' } },
      retrospectives: { create: { authorId: caller.id, title: 'Learned', content: 'much' } },
    });
    const message = mentioning(mentioned.id);
    const [changes, outcome] = await changesOf(world, () =>
      reopen(caller.token, { id: goal.id, message, subscriberIds: [invited.id] }),
    );
    expect(outcome.data.goal).toMatchObject({
      id: goal.id,
      status: 'caution',
      is_closed: false,
      closed_at: null,
      closed_by: null,
      success: null,
      next_update_scheduled_at: '2026-06-20T00:00:00.000Z',
      retrospective: { title: 'Learned' },
      targets: [{ name: 'Sales', value: 4 }],
      checklist: [{ completed: true }],
    });

    const of = { company_id: goal.companyId };
    const id = expect.stringMatching(/^[0-9a-f-]{14}7[0-9a-f-]{21}$/);
    const fresh = { ...of, id, inserted_at: expect.any(String) };
    const subscription = { ...fresh, subscription_list_id: expect.any(String), canceled: false };
    const notification = { ...fresh, activity_id: expect.any(String), read_at: null };
    expect(changes).toEqual({
      removed: {},
      changed: {
        goals: [
          {
            id: goal.id,
            closed_at: [expect.any(String), null],
            closed_by_id: [caller.id, null],
            success: [true, null],
            updated_at: [expect.any(String), expect.any(String)],
            outcome_activity_id: [null, changes.added.activities?.[0].id],
          },
        ],
      },
      added: {
        activities: [
          {
            ...fresh,
            action: 'goal_reopened',
            author_id: caller.id,
            goal_id: goal.id,
            file_id: null,
            document_id: null,
            document_version_id: null,
            origin: 'api',
            name: goal.name,
            undone_success: true,
            undone_closed_at: expect.any(String),
            undone_closed_by_id: caller.id,
            token_id: expect.any(String),
            undoes_id: null,
            previous_outcome_id: null,
            surface: 'rest',
            recorded_at: expect.any(String),
            sequence: null,
          },
        ],
        comment_threads: [{ ...fresh, activity_id: changes.added.activities?.[0].id, message }],
        subscription_lists: [
          {
            ...of,
            id: expect.any(String),
            send_to_everyone: false,
            thread_id: changes.added.comment_threads?.[0].id,
            file_id: null,
            document_id: null,
          },
        ],
        subscriptions: expect.arrayContaining([
          { ...subscription, person_id: caller.id, type: 'joined' },
          { ...subscription, person_id: invited.id, type: 'invited' },
          { ...subscription, person_id: mentioned.id, type: 'mentioned' },
        ]),
        notifications: expect.arrayContaining([
          { ...notification, person_id: invited.id },
          { ...notification, person_id: mentioned.id },
        ]),
      },
    });
    expect(counts(changes.added)).toMatchObject({ subscriptions: 3, notifications: 2 });
  });

  test('is all or nothing: when the last row is refused, the goal stays closed and nothing is left', async () => {
    const { company, caller, space } = await world.team();
    const friend = await world.person(company);
    const goal = await world.closedGoal(space);
    await world.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'secret reason'; END $$;
      CREATE TRIGGER refuse AFTER INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION refuse()`);
    const input = { id: goal.id, message: 'again', subscriberIds: [friend.id] };
    const [changes, outcome] = await changesOf(world, () => reopen(caller.token, input));
    await world.sql('DROP FUNCTION refuse CASCADE');
    expect(outcome).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR', members: {} });
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(changes).toEqual(nothing);
    expect(await reopen(caller.token, input)).toMatchObject({ status: 200 });
  });

  test('an empty thread when there is no message', async () => {
    const { caller, space } = await world.team();
    for (const message of [undefined, null]) {
      const goal = await world.closedGoal(space);
      await reopen(caller.token, { id: goal.id, message, subscriberIds: null, sendNotificationsToEveryone: null });
      const thread = await db.commentThread.findFirstOrThrow({
        where: { activity: { goalId: goal.id } },
        include: { subscriptionList: { include: { subscriptions: true } }, comments: true },
      });
      expect(thread).toMatchObject({ message: null, comments: [], subscriptionList: { sendToEveryone: false } });
      expect(thread.subscriptionList?.subscriptions).toMatchObject([{ personId: caller.id, type: 'joined' }]);
    }
  });

  test('reads outdated at once when its update is long overdue', async () => {
    const { caller, space } = await world.team();
    const goal = await world.closedGoal(space, {
      nextUpdateScheduledAt: new Date('2026-01-01T00:00:00Z'),
      progressUpdates: { create: { authorId: caller.id, status: 'on_track' } },
    });
    const { data } = await reopen(caller.token, { id: goal.id });
    expect(data.goal).toMatchObject({ status: 'outdated', is_outdated: true });
  });
});
