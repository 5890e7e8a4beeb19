import { GraphQLError } from 'graphql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../src/context.js';
import { Prisma } from '../../src/generated/client/client.js';
import { write } from '../../src/operations/operation.js';
import type { Plugin } from '../../src/platform/graphql/index.js';
import { Agent } from '../support/agent.js';
import { thisMachine, webhookKey } from '../support/deliveries.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

/** What is done when an execution is over: after its change is committed. */
let afterwards: () => void = () => {};
const plugin: Plugin = { onExecute: () => ({ onExecuteDone: () => afterwards() }) };

const rules = { keys: [webhookKey], allow: thisMachine, own: [] };
const world = await createWorld({ isAlone: true, plugins: [plugin], mcp: true, webhooks: rules });
await world.sql("ALTER TYPE progress_status ADD VALUE 'stalled'");
const { caller, company, space } = await world.team();
const agent = new Agent(world, caller.token);
const strict = { accept: 'application/graphql-response+json' };
const plain = { accept: 'application/json' };

beforeEach(() => {
  world.log.length = 0;
});
afterEach(() => {
  afterwards = () => {};
});

const overdueGoal = () => world.closedGoal(space, { nextUpdateScheduledAt: new Date('2026-07-01T00:00:00Z') });
/** The last check-in of a goal, with a value that a newer version has written. */
const writeCheckIn = ({ id }: { id: string }) =>
  world.sql(
    "INSERT INTO goal_progress_updates (company_id, goal_id, author_id, status, message) VALUES ($1, $2, $3, 'stalled', 'x')",
    [company.companyId, id, caller.id],
  );

async function newerGoal() {
  const goal = await overdueGoal();
  await writeCheckIn(goal);
  return goal;
}

const isOpen = async (id: string) =>
  (await world.sql('SELECT closed_at IS NULL AS open FROM goals WHERE id = $1', [id]))[0]?.open;
const activityOf = async (id: string) =>
  (await world.sql("SELECT id FROM activities WHERE goal_id = $1 AND action = 'goal_reopened'", [id]))[0]?.id;
const errorsLogged = () => world.log.filter(({ level }) => level === 50);

const lastCheckIn = 'mutation ($id: ID!) { reopenGoal(input: { id: $id }) { goal { id lastCheckIn { status } } } }';
const nonNull = 'mutation ($id: ID!) { reopenGoal(input: { id: $id }) { goal { id status } } }';

const words = /^The change was made, but the response to it failed. Do not repeat it/;

describe('a change whose response fails once it is committed', () => {
  test.each([
    ['a nullable field', lastCheckIn, strict, 500],
    ['a nullable field', lastCheckIn, plain, 200],
    ['a field that is never null', nonNull, strict, 500],
    ['a field that is never null', nonNull, plain, 200],
  ])('because of %s is said on GraphQL', async (_what, document, accept, status) => {
    const { id } = await newerGoal();
    const sent = await world.graphql(caller.token, document, { id }, accept);
    expect(sent.status).toBe(status);
    expect(sent.body.data).toBeNull();
    expect(sent.body.errors).toMatchObject([
      {
        message: expect.stringMatching(words),
        path: ['reopenGoal', 'goal', ...(document === nonNull ? ['status'] : ['lastCheckIn', 'status'])],
        extensions: { code: 'INTERNAL_SERVER_ERROR', changed: true, activityId: await activityOf(id) },
      },
    ]);
    expect(sent.headers.get('goalpost-changed')).toBe('true');
    expect(await isOpen(id)).toBe(true);
    expect(errorsLogged()).toMatchObject([
      { changed: true, err: { message: expect.stringMatching(/"stalled": a newer version wrote it$/) } },
    ]);
  });

  test('is said on REST', async () => {
    const { id } = await newerGoal();
    const { status, headers, body } = await world.post(restPaths.reopenGoal, caller.token, { id });
    expect(status).toBe(500);
    expect(body).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      status: 500,
      changed: true,
      activity_id: await activityOf(id),
      detail: expect.stringMatching(words),
    });
    expect(headers.get('goalpost-changed')).toBe('true');
    expect(await isOpen(id)).toBe(true);
    expect(errorsLogged()).toHaveLength(1);
  });

  test('is said whatever fails: a plugin with a refusal', async () => {
    afterwards = () => {
      throw new GraphQLError('No.', { extensions: { code: 'FORBIDDEN', http: { status: 403 } } });
    };
    for (const [send, changed] of [
      [(id: string) => world.post(restPaths.reopenGoal, caller.token, { id }), (body: Json) => body.changed],
      [
        (id: string) => world.graphql(caller.token, nonNull, { id }, strict),
        (body: Json) => body.errors[0].extensions.changed,
      ],
      [
        (id: string) => world.post(restPaths.reopenGoal, caller.token, { id }, { 'idempotency-key': id }),
        (body: Json) => body.changed,
      ],
    ] as const) {
      const { id } = await world.closedGoal(space);
      const { status, headers, body } = await send(id);
      expect([status, changed(body), headers.get('goalpost-changed')]).toEqual([500, true, 'true']);
      expect(await isOpen(id)).toBe(true);
    }
    expect(errorsLogged()).toHaveLength(3);
  });

  test('is said of one that records no activity', async () => {
    const owner = await world.person(company, { isOwner: true });
    const document = `mutation { createWebhook(input: { url: "https://example.com/hook" }) { webhook { id } } }`;
    afterwards = () => {
      throw new Error('gone');
    };
    const { status, body } = await world.graphql(owner.token, document, {}, strict);
    const { extensions } = body.errors[0];
    expect([status, extensions.changed, extensions.activityId]).toEqual([500, true, undefined]);
    expect(await world.sql('SELECT id FROM webhooks WHERE company_id = $1', [company.companyId])).toHaveLength(1);
  });

  test('is said by a tool', async () => {
    const { id } = await world.closedGoal(space);
    const given = await agent.confirmed('reopen_goal', { id });
    afterwards = () => {
      throw new Error('gone');
    };
    expect(await agent.failure('reopen_goal', given)).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      changed: true,
      activity_id: await activityOf(id),
      detail: 'The change was made, but the response to it failed.',
      remedy: expect.stringMatching(/^Do not make it again: look at the record/),
    });
    afterwards = () => {};
    expect(await agent.data('reopen_goal', given)).toMatchObject({ replayed: true });
  });

  test('is said when the database does not respond any more', async () => {
    const late = new World(world.db, world.url, { databaseTimeouts: { response: 1_500 } });
    const { hub } = await world.teamWithHub('space');
    const owner = await world.person({ companyId: hub.companyId });
    await world.grant({ companyId: hub.companyId }, owner, 100, { spaceId: hub.spaceId ?? '' });
    const { id: documentId } = await world.document(hub, owner);
    const document = `mutation ($input: RestoreDocumentVersionInput!) {
      restoreDocumentVersion(input: $input) { document { id } activity { id message } } }`;
    const input = { documentId, versionNumber: 1, expectedCurrentVersion: 3 };
    const { release } = await world.holding('LOCK TABLE comment_threads IN ACCESS EXCLUSIVE MODE');
    try {
      const { body } = await late.graphql(owner.token, document, { input });
      expect(body.errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR', changed: true } }]);
    } finally {
      await release();
      await late.close();
    }
    const versions = await world.sql('SELECT current_version AS current FROM resource_hub_documents WHERE id = $1', [
      documentId,
    ]);
    expect(versions).toEqual([{ current: 4 }]);
  });
});

describe('a change that is undone because its response fails', () => {
  const undone = { code: 'INTERNAL_SERVER_ERROR', changed: false };

  test('says that nothing was changed: with a key, with a confirmation, with others in its request', async () => {
    const goal = await overdueGoal();
    const { id } = goal;
    // A preview would fail as the change does.
    const given = await agent.confirmed('reopen_goal', { id });
    await writeCheckIn(goal);
    const rest = await world.post(restPaths.reopenGoal, caller.token, { id }, { 'idempotency-key': 'newer' });
    expect([rest.status, rest.headers.get('goalpost-changed')]).toEqual([500, 'false']);
    expect(rest.body).toMatchObject({ ...undone, detail: expect.stringContaining('nothing was changed') });
    expect(await agent.failure('reopen_goal', given)).toMatchObject(undone);
    const other = await world.closedGoal(space);
    const both = `mutation ($id: ID!, $other: ID!) {
      first: reopenGoal(input: { id: $other }) { goal { id } }
      second: reopenGoal(input: { id: $id }) { goal { id status } } }`;
    const sent = await world.graphql(caller.token, both, { id, other: other.id }, strict);
    expect([sent.status, sent.body.data, sent.headers.get('goalpost-changed')]).toEqual([500, null, 'false']);
    expect(sent.body.errors).toMatchObject([{ extensions: undone }]);
    expect([await isOpen(id), await isOpen(other.id)]).toEqual([false, false]);
  });
});

describe('a failure of a result', () => {
  test('is not the fault of its caller, also of a query', async () => {
    const { id } = await newerGoal();
    await world.sql('UPDATE goals SET closed_at = NULL, success = NULL WHERE id = $1', [id]);
    const query = 'query ($id: ID!) { goal(id: $id) { id lastCheckIn { status } } }';
    for (const accept of [strict, plain]) {
      const { status, body } = await world.graphql(caller.token, query, { id }, accept);
      expect(status).toBe(200);
      expect(body.data.goal).toEqual({ id, lastCheckIn: null });
      expect(body.errors).toMatchObject([
        { path: ['goal', 'lastCheckIn', 'status'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
      ]);
      expect(body.errors[0].extensions.changed).toBeUndefined();
    }
    expect(errorsLogged()).toHaveLength(2);
  });

  test('while variables are read is its fault', async () => {
    const { status, body } = await world.graphql(caller.token, nonNull, { id: { no: 'id' } }, strict);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  });
});

describe('a read that goes with a write', () => {
  const reopening = (id: string, read: Parameters<typeof write>[2]) => {
    const noted: (string | null)[] = [];
    const statement = Prisma.sql`UPDATE goals SET name = 'changed' WHERE company_id = ${company.companyId} AND id = ${id} RETURNING id`;
    const context = {
      db: world.db.within(undefined) as Context['db'],
      noteChange: (activityId: string | null) => void noted.push(activityId),
    };
    return { noted, done: write(context, statement, read) };
  };
  const nameOf = async (id: string) => (await world.sql('SELECT name FROM goals WHERE id = $1', [id]))[0]?.name;

  test('and fails once that is committed is told from one that undoes it', async () => {
    const { id } = await world.goal(space);
    const late = reopening(id, async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      throw new Error('late');
    });
    await expect(late.done).rejects.toThrow('late');
    expect([late.noted, await nameOf(id)]).toEqual([[id], 'changed']);
    const other = await world.goal(space);
    const together = reopening(other.id, (tx) => tx.$queryRaw`SELECT 1 / 0`);
    await expect(together.done).rejects.toThrow('division by zero');
    expect([together.noted, await nameOf(other.id)]).toEqual([[], other.name]);
  });
});
