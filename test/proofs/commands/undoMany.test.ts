import { expect, test } from 'vitest';
import { createToken } from '../../../src/tokens.js';
import { goalpost } from '../../support/goalpost.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();

test('of 1,000 changes of a token among 10,000 of others, exactly those are undone that nobody has built on', async () => {
  const { company, caller, hub } = await world.teamWithHub('space');
  const tokenOf = (name: string) =>
    createToken(world.db, { ...company, personId: caller.id, name, canWrite: true }).then(({ id }) => id);
  const [agent, other] = [await tokenOf('agent'), await tokenOf('other')];
  const { companyId } = company;
  await world.sql(
    `INSERT INTO blobs (company_id, id, filename, size, content_type)
     SELECT $1, 'b' || n, 'x', 1, 'text/plain' FROM generate_series(1, 11000) n`,
    [companyId],
  );
  await world.sql(
    `INSERT INTO resource_hub_files (company_id, id, name, resource_hub_id, author_id, blob_id, deleted_at, deleted_by_id)
     SELECT $1, 'f' || n, 'File ' || n, $2, $3, 'b' || n, now(), $3 FROM generate_series(1, 11000) n`,
    [companyId, hub.id, caller.id],
  );
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, file_id, name, token_id, surface, origin)
     SELECT $1, 'resource_hub_file_deleted', $2, 'f' || n, 'File', CASE WHEN n <= 1000 THEN $3 ELSE $4 END, 'rest', 'api'
     FROM generate_series(1, 11000) n`,
    [companyId, caller.id, agent, other],
  );
  // Somebody has recovered and deleted a hundred of them again.
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, file_id, name, token_id, surface, origin)
     SELECT $1, action::activity_action, $2, 'f' || n, 'File', $3, 'rest', 'api'
     FROM unnest(ARRAY['resource_hub_file_recovered', 'resource_hub_file_deleted']) action, generate_series(1, 100) n`,
    [companyId, caller.id, other],
  );
  const undo = async () => {
    const startedAt = performance.now();
    const { code, stdout } = await goalpost(['token', 'undo', agent, '--json'], { DATABASE_URL: world.url });
    expect(code).toBe(0);
    const { changes } = JSON.parse(stdout) as Json;
    const of = (isLeft: boolean) => changes.filter(({ left }: Json) => (left !== null) === isLeft);
    console.log(`undone ${of(false).length}, left ${of(true).length}: ${Math.round(performance.now() - startedAt)} ms`);
    return { undone: of(false).length, left: of(true).map(({ subjectId }: Json) => subjectId) };
  };
  const builtOn = Array.from({ length: 100 }, (_, index) => `f${100 - index}`);
  const first = await undo();
  expect(first.undone).toBe(900);
  expect([...first.left].sort()).toEqual([...builtOn].sort());
  const there = await world.sql(
    'SELECT count(*)::int AS count, bool_and(substr(id, 2)::int BETWEEN 101 AND 1000) AS exact FROM resource_hub_files WHERE company_id = $1 AND deleted_at IS NULL',
    [companyId],
  );
  expect(there).toEqual([{ count: 900, exact: true }]);
  expect(await undo()).toMatchObject({ undone: 0 });
}, 120_000);
