import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModels } from '../../src/database.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { type Answer, createWorld, restPaths, World } from '../support/world.js';

const connections = 4;
const { url } = await createWorld({ isAlone: true });
const world = new World(openModels({ url, poolSize: connections, preparedStatements: false }), url);
afterAll(() => world.close());
const { caller, space, hub } = await world.teamWithHub('space');

const goals = '{ goals(first: 5) { nodes { id name description champion { fullName } } } }';
const viewer = '{ viewer { person { fullName title } } }';

/** Every statement of these requests, on every connection of the pool. */
async function requests(gateway: World): Promise<Answer[]> {
  const [goal, file, document] = await Promise.all([
    world.closedGoal(space),
    world.file(hub, caller),
    world.document(hub, caller),
  ]);
  const restored = { document_id: document.id, version_number: 1, expected_current_version: 3 };
  const several = `mutation { reopenGoal(input: { id: "${goal.id}" }) { goal { id } }
    deleteResourceHubFile(input: { fileId: "${file.id}" }) { file { id } } }`;
  return Promise.all([
    ...Array.from({ length: connections }, () => gateway.graphql(caller.token, goals)),
    ...Array.from({ length: connections }, () => gateway.graphql(caller.token, viewer)),
    gateway.post(restPaths.restoreDocumentVersion, caller.token, restored, { 'idempotency-key': document.id }),
    gateway.graphql(caller.token, several),
  ]);
}

const failed = (answers: Answer[]) => answers.filter(({ status }) => status !== 200).map(({ body }) => body);

describe('a gateway that has prepared its statements', () => {
  let gateway: World;
  beforeAll(async () => {
    gateway = new World(openModels({ url, poolSize: connections, preparedStatements }), url);
    for (let round = 0; round < 3; round += 1) expect(failed(await requests(gateway))).toEqual([]);
    return () => gateway.close();
  });

  test('serves on when every table gets columns', async () => {
    const tables = await world.sql("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    for (const { name } of tables)
      await world.sql(`ALTER TABLE ${name} ADD COLUMN added text, ADD COLUMN counted integer NOT NULL DEFAULT 1`);
    expect(failed(await requests(gateway))).toEqual([]);
  });

  test.each([1, 2])('serves on when columns change their type, time %i', async (time) => {
    const type = time === 1 ? 'varchar(1000)' : 'text';
    for (const column of ['goals.description', 'people.title', 'people.email', 'spaces.mission']) {
      const [table, name] = column.split('.');
      await world.sql(`ALTER TABLE ${table} ALTER COLUMN ${name} TYPE ${type}`);
    }
    for (let round = 0; round < 3; round += 1) expect(failed(await requests(gateway))).toEqual([]);
  });
});
