import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/postgres/values.js';
import { forAnother, plansOf } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';
import { type Answer, createWorld, type Json, restPaths } from '../../support/world.js';

const world = await createWorld();
const many = 10_000;

let token: string;
let people: string[];
/** Of each kind two: one for the request, and one for which its statements are planned. */
let records: Record<'goal' | 'followed' | 'announced', [string, string]>;

const reopen = (id: string, input: Json) => world.post(restPaths.reopenGoal, token, { id, ...input });
const deleteFile = (id: string) => world.post(restPaths.deleteResourceHubFile, token, { file_id: id });
const preview = (id: string, input: Json) =>
  world.graphql(
    token,
    `query($input: PreviewReopenGoalInput!) { previewReopenGoal(input: $input) {
      notified { totalCount nodes { id } } subscribed { totalCount nodes { id } } } }`,
    { input: { id, ...input } },
  );

const requests: [string, keyof typeof records, (id: string) => Promise<Answer>][] = [
  ['previewing a goal with all their names', 'goal', (id) => preview(id, { subscriberIds: people })],
  ['previewing a goal of their space', 'goal', (id) => preview(id, { sendNotificationsToEveryone: true })],
  ['reopening a goal and naming them all', 'goal', (id) => reopen(id, { subscriber_ids: people })],
  ['reopening a goal of their space', 'goal', (id) => reopen(id, { send_notifications_to_everyone: true })],
  ['deleting a file that they follow', 'followed', deleteFile],
  ['deleting a file of their space', 'announced', deleteFile],
];

describe('while PostgreSQL believes that a company of ten thousand is small', () => {
  beforeAll(async () => {
    const { company, caller, space, hub } = await world.teamWithHub('space');
    for (let others = 0; others < 5; others++) await world.crowd((await world.team()).company, 3);
    await world.sql('ANALYZE');
    for (const table of ['people', 'space_members', 'subscriptions', 'notifications']) {
      await world.sql(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    }
    people = await world.crowd(company, many);
    await world.sql(
      `INSERT INTO space_members (company_id, space_id, person_id) SELECT company_id, $1, id FROM people
       WHERE company_id = $2 ON CONFLICT DO NOTHING`,
      [space.id, company.companyId],
    );
    const two = async (make: () => Promise<{ id: string }>): Promise<[string, string]> => [
      (await make()).id,
      (await make()).id,
    ];
    const file = async (followers: string[], sendToEveryone: boolean) => {
      const made = await world.file(hub, caller);
      const subscribed = followers.map((id) => ({ id }));
      await world.subscribe({ ...company, fileId: made.id }, subscribed, sendToEveryone);
      return made;
    };
    token = caller.token;
    records = {
      goal: await two(() => world.closedGoal(space)),
      followed: await two(() => file(people, false)),
      announced: await two(() => file([], true)),
    };
  });

  test.each(requests)('%s compares nobody with everybody', async (_, kind, request) => {
    const [id, another] = records[kind];
    await world.db.goal.updateMany({ data: { closedAt: new Date(), success: true } });
    const since = newId();
    const { result, statements } = await statementsOf(() => request(id));
    expect(result).toMatchObject({ status: 200 });
    const plans = await plansOf(world.url, forAnother(new Map([[id, another]]), since, statements));
    const most = Math.max(...plans.map(({ handled }) => handled));
    expect(most).toBeGreaterThan(many); // or nothing was left to do
    expect(most).toBeLessThan(40 * many);
  });
});
