import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkGateway } from '../../src/commands/check.js';
import { Agent } from '../support/agent.js';
import { insertWebhook, startDeliveries, until } from '../support/deliveries.js';
import { openStream } from '../support/openStream.js';
import { startReceiver } from '../support/receiver.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

// A database that is one migration ahead: with an action, an origin and a status that this version does not know, and
// events that have them between others.
const world = await createWorld({ isAlone: true, mcp: true });
const { caller, company, space } = await world.team();
const { companyId } = company;
const [goal, other] = [await world.closedGoal(space), await world.goal(space)];
const hub = await world.hub(company, { spaceId: space.id });
const file = await world.file(hub, caller);
const agent = new Agent(world, caller.token);
let frobbed = '';
let polished = '';

const add = async (action: string, subject: { goal_id?: string; file_id?: string }, more: Json = {}) => {
  const row = { company_id: companyId, action, author_id: caller.id, name: 'Name', ...subject, ...more };
  const names = Object.keys(row);
  const [added] = await world.sql(
    `INSERT INTO activities (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')}) RETURNING id`,
    Object.values(row),
  );
  return added?.id as string;
};

beforeAll(async () => {
  await world.sql("ALTER TYPE activity_action ADD VALUE 'goal_frobbed'");
  await world.sql("ALTER TYPE activity_action ADD VALUE 'blob_polished'");
  await world.sql("ALTER TYPE event_origin ADD VALUE 'replica'");
  await world.sql('ALTER TABLE activities DROP CONSTRAINT activities_subject_of_action');
  await world.sql('ALTER TABLE activities DROP CONSTRAINT activities_one_subject');
  await add('goal_closed', { goal_id: other.id });
  frobbed = await add('goal_frobbed', { goal_id: goal.id });
  polished = await add('blob_polished', { file_id: file.id }, { origin: 'replica' });
  await add('goal_closed', { goal_id: other.id });
  await world.numberEvents(companyId);
});

const nodes = (frobbedAction: string) => [
  { type: 'GOAL_CLOSED', sequence: 1 },
  { id: frobbed, type: frobbedAction, sequence: 2 },
  { id: polished, type: 'BLOB_POLISHED', sequence: 3, origin: 'REPLICA' },
  { type: 'GOAL_CLOSED', sequence: 4 },
];

const body = () => ({
  id: frobbed,
  type: 'goal.frobbed',
  sequence: 2,
  timestamp: expect.stringMatching(/Z$/),
  company_id: companyId,
  origin: 'application',
  data: { author_id: caller.id, goal_id: goal.id },
});

describe('an event that a newer version has written', () => {
  test('is in the feed with its id, sequence, time, type and subject, between the others', async () => {
    const query = '{ events { nodes { id type sequence timestamp origin body activity { subjectKind subjectId } } } }';
    const { status, body: sent } = await world.graphql(caller.token, query);
    expect([status, sent.errors]).toEqual([200, undefined]);
    expect(sent.data.events.nodes).toMatchObject(nodes('GOAL_FROBBED'));
    expect(sent.data.events.nodes[1].body).toEqual(body());
    expect(sent.data.events.nodes[2]).toMatchObject({
      body: { type: 'blob.polished', origin: 'replica', data: { file_id: file.id, resource_hub_id: hub.id } },
      activity: { subjectKind: 'RESOURCE_HUB_FILE', subjectId: file.id },
    });
  });

  test('is among the activities of the company and of its record', async () => {
    const query = `{ activities { nodes { id action subjectKind subjectId subject { ... on Goal { id } } } }
      goal(id: "${goal.id}") { activities { nodes { id action } } } }`;
    const { body: sent } = await world.graphql(caller.token, query);
    expect(sent.errors).toBeUndefined();
    expect(sent.data.activities.nodes).toHaveLength(4);
    expect(sent.data.activities.nodes).toContainEqual({
      id: frobbed,
      action: 'GOAL_FROBBED',
      subjectKind: 'GOAL',
      subjectId: goal.id,
      subject: { id: goal.id },
    });
    expect(sent.data.goal.activities.nodes).toEqual([{ id: frobbed, action: 'GOAL_FROBBED' }]);
  });

  test('is named by the tool that lists changes', async () => {
    const { nodes: found } = await agent.data('recent_changes', { first: 10 });
    expect(found).toHaveLength(4);
    expect(found).toContainEqual(expect.objectContaining({ id: frobbed, action: 'goal_frobbed' }));
    expect(found).toContainEqual(expect.objectContaining({ id: polished, subject_kind: 'resource_hub_file' }));
  });

  test('comes on a stream, and what follows it too', async () => {
    world.startDispatcher();
    const query = 'subscription ($after: String) { events(after: $after) { id type sequence timestamp body } }';
    const page = await world.graphql(caller.token, '{ events(first: 1) { pageInfo { endCursor } } }');
    const after = page.body.data.events.pageInfo.endCursor;
    const stream = await openStream(await world.base(), caller.readOnlyToken, { query, variables: { after } });
    const blocks = [await stream.next(), await stream.next(), await stream.next()];
    stream.close();
    expect(blocks.map((block) => block?.data.errors)).toEqual([undefined, undefined, undefined]);
    expect(blocks.map((block) => block?.data.data.events)).toMatchObject(
      nodes('GOAL_FROBBED')
        .slice(1)
        .map(({ type, sequence }) => ({ type, sequence })),
    );
    expect(blocks[0]?.data.data.events.body).toEqual(body());
  });

  test('cannot be taken back by this version', async () => {
    const { status, body: sent } = await world.post(restPaths.undoChange, caller.token, { activity_id: frobbed });
    expect([status, sent.code]).toEqual([409, 'CANNOT_BE_UNDONE']);
  });

  test('does not keep a goal from being reopened that somebody is notified of it', async () => {
    await world.sql('INSERT INTO notifications (company_id, activity_id, person_id) VALUES ($1, $2, $3)', [
      companyId,
      frobbed,
      caller.id,
    ]);
    // Not through the client, for which no value is one of a newer version.
    const response = await fetch((await world.base()) + restPaths.reopenGoal, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: goal.id }),
    });
    expect(response.status).toBe(200);
    const sent = (await response.json()) as Json;
    expect(sent.goal.notifications).toMatchObject([{ activity: { id: frobbed, action: 'goal_frobbed' } }]);
  });
});

describe('a webhook', () => {
  test('notes a failed attempt of its record, with the reason, and sends all others', async () => {
    const receiver = await startReceiver();
    // More of them than the failures after which an endpoint waits as a whole.
    const frobbedGoals = await Promise.all([1, 2, 3, 4, 5, 6].map(() => world.goal(space)));
    for (const { id } of frobbedGoals) await add('goal_frobbed', { goal_id: id });
    // About something that this version has no column for.
    const foreign = await add('blob_polished', {});
    const last = await world.goal(space);
    await add('goal_closed', { goal_id: last.id });
    const id = await insertWebhook(world, companyId, receiver.url);
    const deliveries = startDeliveries(world);
    onTestFinished(() => deliveries.stop().then(() => receiver.close()));
    deliveries.dispatcher.changed(companyId);
    const known = await until(
      async () => receiver.received.map(({ body: { data } }) => data.goal_id),
      (goals) => goals.includes(last.id) && goals.filter((each) => each === other.id).length === 2,
    );
    expect(known).not.toContain(frobbedGoals[0]?.id);
    const attempts = await until(
      () => world.sql("SELECT * FROM webhook_attempts WHERE webhook_id = $1 AND outcome = 'failed'", [id]),
      (found) => found.length >= 9,
    );
    expect(attempts.filter((attempt) => attempt.event_id === frobbed)).toMatchObject([
      { type: 'goal.frobbed', reason: 'not sent: a newer version wrote the action goal_frobbed', status: null },
    ]);
    const [webhook] = await world.sql('SELECT failures, waits, disabled_at FROM webhooks WHERE id = $1', [id]);
    expect(webhook).toEqual({ failures: 0, waits: 0, disabled_at: null });
    const retries = await world.sql(
      "SELECT record FROM webhook_retries WHERE webhook_id = $1 AND failures = 1 AND last_error LIKE 'not sent: %'",
      [id],
    );
    expect(retries).toHaveLength(9);
    expect(retries).toContainEqual({ record: `activity ${foreign}` });
    expect(deliveries.log.filter(({ level }) => level === 50)).toContainEqual(
      expect.objectContaining({ eventId: frobbed, msg: 'an event cannot be sent' }),
    );
  });

  test('that waits as a whole is tried with what can be sent', async () => {
    const receiver = await startReceiver();
    const id = await insertWebhook(world, companyId, receiver.url, {
      slot: 2,
      failures: 5,
      waits: 1,
      wait_until: new Date(0),
      failing_since: new Date(),
    });
    const deliveries = startDeliveries(world);
    onTestFinished(() => deliveries.stop().then(() => receiver.close()));
    deliveries.dispatcher.changed(companyId);
    await until(
      () => world.sql('SELECT waits FROM webhooks WHERE id = $1', [id]),
      ([webhook]) => webhook.waits === 0,
    );
    await until(
      async () => receiver.received.length,
      (count) => count >= 3,
    );
  });
});

test('check names the values, as information', async () => {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
  await checkGateway({ values: { DATABASE_URL: world.url }, fromFile: new Set() }).catch(() => {});
  log.mockRestore();
  expect(lines.filter((line) => line.includes('does not know'))).toEqual([
    expect.stringMatching(
      /^ {2}note {5}values that this version does not know, .*: goal_frobbed of activity_action, blob_polished of activity_action, replica of event_origin\./,
    ),
  ]);
});
