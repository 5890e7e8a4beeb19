import { describe, expect, test } from 'vitest';
import { changesOf, counts } from '../support/changes.js';
import { perform } from '../support/surfaces.js';
import { createWorld, type Json, mentioning } from '../support/world.js';

const world = await createWorld();
const { db } = world;

/** Everyone that a goal may concern. The author may edit every goal of the space. */
async function cast() {
  const company = await world.company();
  const person = (data = {}) => world.person(company, data);
  const people = {
    author: await person(),
    member: await person(),
    guestMember: await person({ type: 'guest' }),
    suspendedMember: await person({ suspendedAt: new Date() }),
    employee: await person(),
    guest: await person({ type: 'guest' }),
    grantedGuest: await person({ type: 'guest' }),
    suspended: await person({ suspendedAt: new Date() }),
    champion: await person(),
    owner: await person({ isOwner: true }),
    stranger: await world.person(await world.company()),
  };
  const space = await world.space(company, [people.author, people.member, people.guestMember, people.suspendedMember]);
  const closedGoal = async (data: Json) => {
    const goal = await world.closedGoal(space, { championId: people.champion.id, ...data });
    await world.grant(company, people.author, 70, { goalId: goal.id });
    await world.grant(company, people.grantedGuest, 10, { goalId: goal.id });
    return goal;
  };
  return { people, space, closedGoal };
}

const { people, closedGoal } = await cast();
type People = typeof people;
type Name = keyof People;

/** Reopens a goal as its author; the answer says who was subscribed how, and who was notified, by name. */
async function reopened(goalData: Json, inputOf: (people: People) => Json) {
  const goal = await closedGoal(goalData);
  const input = { id: goal.id, ...inputOf(people) };
  expect(await perform(world, 'REST', 'reopenGoal', people.author.token, input)).toMatchObject({ status: 200 });
  const nameOf = (id: string) => Object.entries(people).find(([, person]) => person.id === id)?.[0];
  const rows = await db.subscription.findMany({
    where: { subscriptionList: { thread: { activity: { goalId: goal.id } } } },
  });
  const notifications = await db.notification.findMany({ where: { activity: { goalId: goal.id } } });
  expect(notifications.every(({ readAt }) => readAt === null)).toBe(true);
  return {
    subscribed: Object.fromEntries(rows.map(({ personId, type }) => [nameOf(personId), type])),
    rows: rows.length,
    notified: notifications.map(({ personId }) => nameOf(personId)).sort(),
  };
}

const deep = (id: string) =>
  `{"type":"doc","content":[${'{"content":['.repeat(3000)}${mentioning(id)},{"type":"mention","attrs":{"id":"${id}"}}${']}'.repeat(3000)}]}`;

describe('who is subscribed', () => {
  const cases: [string, (people: People) => Json, Partial<Record<Name, string>>][] = [
    ['the author alone, when nobody is named', () => ({ message: 'again' }), {}],
    ['nobody by plain text', ({ member }) => ({ message: `Hi @${member.id} {"type":"mention"}` }), {}],
    [
      'nobody by rich text that is no document',
      ({ member }) => ({ message: JSON.stringify(JSON.parse(mentioning(member.id)).content[0]) }),
      {},
    ],
    [
      'people mentioned at any depth',
      ({ member, employee, guest }) => ({ message: mentioning(member.id, employee.id, guest.id) }),
      { member: 'mentioned', employee: 'mentioned', guest: 'mentioned' },
    ],
    [
      'a person mentioned thousands of levels deep',
      ({ member }) => ({ message: deep(member.id) }),
      { member: 'mentioned' },
    ],
    [
      'no mention that is unknown, ill-typed or of another company',
      ({ member, stranger }) => ({
        message: mentioning('nobody', 7, null, 'no\0body', '\ud800', { id: member.id }, stranger.id, member.id),
      }),
      { member: 'mentioned' },
    ],
    [
      'a person named many times, once',
      ({ member }) => ({ subscriberIds: Array.from({ length: 10_001 }, () => member.id) }),
      { member: 'invited' },
    ],
    [
      'a person named and mentioned, once',
      ({ member }) => ({ subscriberIds: [member.id], message: mentioning(member.id) }),
      { member: 'invited' },
    ],
    ['no member of the space, told or not', () => ({ sendNotificationsToEveryone: true }), {}],
  ];
  test.each(cases)('%s', async (_, input, expected) => {
    const { subscribed, rows } = await reopened({}, input);
    expect(subscribed).toEqual({ author: 'joined', ...expected });
    expect(rows).toBe(Object.keys(expected).length + 1);
  });
});

describe('who is notified', () => {
  const everyone = ({ stranger: _, ...people }: People) => Object.values(people).map(({ id }) => id);
  const secret = { companyLevel: 0, spaceLevel: 0 };
  const cases: [string, Json, (people: People) => Json, Name[]][] = [
    ['nobody, when nobody is named', {}, () => ({ sendNotificationsToEveryone: false }), []],
    [
      'never the author, a suspended person or a guest without access',
      {},
      (people) => ({ subscriberIds: everyone(people) }),
      ['champion', 'employee', 'grantedGuest', 'guestMember', 'member', 'owner'],
    ],
    [
      'members of the space, with the flag',
      {},
      () => ({ sendNotificationsToEveryone: true }),
      ['guestMember', 'member'],
    ],
    [
      'each person once',
      {},
      ({ member, employee }) => ({
        sendNotificationsToEveryone: true,
        subscriberIds: [member.id, employee.id],
        message: mentioning(employee.id, member.id),
      }),
      ['employee', 'guestMember', 'member'],
    ],
    ['no member who cannot see a secret goal', secret, () => ({ sendNotificationsToEveryone: true }), []],
    [
      'of all named, those who can see a secret goal',
      secret,
      (people) => ({ sendNotificationsToEveryone: true, subscriberIds: everyone(people) }),
      ['champion', 'grantedGuest', 'owner'],
    ],
  ];
  test.each(cases)('%s', async (_, goal, input, expected) => {
    expect((await reopened(goal, input)).notified).toEqual(expected);
  });

  test('is kept as the flag of the list', async () => {
    const goal = await closedGoal({});
    const input = { id: goal.id, sendNotificationsToEveryone: true };
    await perform(world, 'REST', 'reopenGoal', people.author.token, input);
    const where = { thread: { activity: { goalId: goal.id } } };
    expect(await db.subscriptionList.findFirstOrThrow({ where })).toMatchObject({ sendToEveryone: true });
  });
});

describe('in numbers', () => {
  test('of twenty reopenings at once through three gateways exactly one has effects, and all are answered', async () => {
    const { company, caller, space } = await world.team();
    const friend = await world.person(company);
    const gateways = [world, world.twin(), world.twin()];
    const goal = await world.closedGoal(space);
    const input = { id: goal.id, message: mentioning(friend.id) };
    const [changes, outcomes] = await changesOf(world, () =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          perform(
            gateways[n % 3] ?? world,
            n % 2 ? 'REST' : 'GraphQL',
            'reopenGoal',
            caller.token,
            input,
            'goal { id isClosed }',
          ),
        ),
      ),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 200, data: { goal: { id: goal.id, is_closed: false } } });
    }
    expect(counts(changes.added)).toEqual({
      activities: 1,
      comment_threads: 1,
      subscription_lists: 1,
      subscriptions: 2,
      notifications: 1,
    });
    expect(changes.changed).toMatchObject({ goals: [{ id: goal.id, success: [true, null] }] });
  });
});
