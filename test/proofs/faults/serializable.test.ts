import { describe, expect, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { type Answer, createWorld, restPaths, World } from '../../support/world.js';

const racers = 32;
const world = await createWorld();
const { caller, space, hub } = await world.teamWithHub('space');

async function twoGateways(): Promise<World[]> {
  const [{ name }] = await world.sql('SELECT current_database() AS name');
  await world.sql(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  const open = () => new World(openModels({ url: world.url, poolSize: 10, preparedStatements }), world.url);
  return [open(), open()];
}

const statusesOf = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

const count = async (sql: string, id: string) => (await world.sql(`SELECT count(*)::int AS n ${sql}`, [id]))[0].n;

describe('in a database whose transactions are serializable', () => {
  async function race(work: (gateway: World, index: number) => Promise<Answer>): Promise<Answer[]> {
    const gateways = await twoGateways();
    try {
      const of = (index: number) => gateways[index % gateways.length] as World;
      return await Promise.all(Array.from({ length: racers }, (_, index) => work(of(index), index)));
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.close()));
    }
  }

  test('of many restores at once one is made, and the others are 409', async () => {
    const { id } = await world.document(hub, caller);
    const input = { document_id: id, version_number: 1, expected_current_version: 3 };
    const answers = await race((gateway) => gateway.post(restPaths.restoreDocumentVersion, caller.token, input));
    expect(statusesOf(answers)).toEqual([200, 409]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await count('FROM document_versions WHERE document_id = $1', id)).toBe(4);
  });

  test('many reopenings at once reopen once, and all are 200', async () => {
    const { id } = await world.closedGoal(space);
    const answers = await race((gateway) => gateway.post(restPaths.reopenGoal, caller.token, { id, message: 'Hi' }));
    expect(statusesOf(answers)).toEqual([200]);
    expect(await count('FROM activities WHERE goal_id = $1', id)).toBe(1);
  });

  test('deletions and recoveries at once are 200 or 404, and each has its activity', async () => {
    const { id } = await world.file(hub, caller);
    const paths = [restPaths.deleteResourceHubFile, restPaths.recoverResourceHubFile];
    const answers = await race((gateway, index) =>
      gateway.post(paths[(index >> 1) % 2] as string, caller.token, { file_id: id }),
    );
    expect(statusesOf(answers).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    const [deleted, recovered] = await Promise.all(
      ['deleted', 'recovered'].map((what) =>
        count(`FROM activities WHERE action = 'resource_hub_file_${what}' AND file_id = $1`, id),
      ),
    );
    const { deletedAt } = await world.db.resourceHubFile.findFirstOrThrow({ where: { id } });
    expect(deleted - recovered).toBe(deletedAt ? 1 : 0);
  });
});
