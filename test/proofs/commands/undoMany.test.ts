import { expect, test } from 'vitest';
import { createToken } from '../../../src/tokens.js';
import { goalpost } from '../../support/goalpost.js';
import { createWorld, type Json, restPaths } from '../../support/world.js';

const world = await createWorld();
type Operation = keyof typeof restPaths;

test('of 1,000 changes of a token among 10,000 of others, exactly those are undone that nobody has built on, while it still writes', async () => {
  const { company, caller, space, hub } = await world.teamWithHub('space');
  const { companyId } = company;
  const agent = await createToken(world.db, { ...company, personId: caller.id, name: 'agent', canWrite: true });
  const other = await createToken(world.db, { ...company, personId: caller.id, name: 'other', canWrite: true });
  const follower = await world.person(company);
  await world.sql(
    `INSERT INTO blobs (company_id, id, filename, size, content_type)
     SELECT $1, 'b' || n, 'x', 1, 'text/plain' FROM generate_series(1, 10000) n`,
    [companyId],
  );
  await world.sql(
    `INSERT INTO resource_hub_files (company_id, id, name, resource_hub_id, author_id, blob_id, deleted_at, deleted_by_id)
     SELECT $1, 'f' || n, 'File ' || n, $2, $3, 'b' || n, now(), $3 FROM generate_series(1, 10000) n`,
    [companyId, hub.id, caller.id],
  );
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, file_id, name, token_id, surface, origin)
     SELECT $1, 'resource_hub_file_deleted', $2, 'f' || n, 'File', $3, 'rest', 'api' FROM generate_series(1, 10000) n`,
    [companyId, caller.id, other.id],
  );

  const changes: [Operation, () => Promise<{ id: string }>, (id: string) => Json][] = [
    ['reopenGoal', () => world.closedGoal(space), (id) => ({ id, message: 'Again', subscriber_ids: [follower.id] })],
    ['deleteResourceHubFile', () => world.file(hub, caller), (file_id) => ({ file_id })],
    ['recoverResourceHubFile', () => world.file(hub, caller, { deletedAt: new Date() }), (file_id) => ({ file_id })],
    [
      'restoreDocumentVersion',
      () => world.document(hub, caller),
      (document_id) => ({ document_id, version_number: 1, expected_current_version: 3 }),
    ],
  ];
  const run = async (operation: Operation, body: Json, { token } = agent) => {
    const { status } = await world.post(restPaths[operation], token, body);
    return status;
  };
  const files: string[] = [];
  const builtOn: string[] = [];
  for (let round = 0; round < 250; round += 1) {
    await Promise.all(
      changes.map(async ([operation, make, input]) => {
        const { id } = await make();
        expect(await run(operation, input(id))).toBe(200);
        if (round % 10 === 0) builtOn.push(id);
      }),
    );
    files.push((await world.file(hub, caller)).id);
  }
  // Somebody has changed every tenth of them since: so that it is as the token left it again, where that can be.
  for (const id of builtOn) {
    await run('deleteResourceHubFile', { file_id: id }, other);
    await run('recoverResourceHubFile', { file_id: id }, other);
    await run('restoreDocumentVersion', { document_id: id, version_number: 2, expected_current_version: 4 }, other);
  }
  await world.sql('UPDATE goals SET archived_at = now() WHERE company_id = $1 AND id = ANY($2)', [companyId, builtOn]);

  const undo = async () => {
    const startedAt = performance.now();
    const { code, stdout } = await goalpost(['token', 'undo', agent.id, '--json'], { DATABASE_URL: world.url });
    expect(code).toBe(0);
    const found = (JSON.parse(stdout) as Json).changes as Json[];
    const of = (isLeft: boolean) => found.filter(({ left }) => (left !== null) === isLeft);
    console.log(`undone ${of(false).length}, left ${of(true).length}: ${Math.round(performance.now() - startedAt)} ms`);
    return { undone: of(false).length, left: of(true).map(({ subjectId }) => subjectId as string) };
  };
  let wrote = 0;
  const writing = (async () => {
    for (const file_id of files) {
      const status = await run('deleteResourceHubFile', { file_id });
      if (status !== 200) return status;
      wrote += 1;
    }
    return 200;
  })();
  await expect.poll(() => wrote).toBeGreaterThan(3);
  const first = await undo();
  expect(await writing).toBe(401);
  expect(first.undone).toBe(900 + wrote);
  expect([...first.left].sort()).toEqual([...builtOn].sort());
  const [records] = await world.sql(
    `SELECT (SELECT count(*)::int FROM goals WHERE closed_at IS NOT NULL AND success) AS closed,
       (SELECT count(*)::int FROM resource_hub_files WHERE deleted_at IS NULL AND NOT id LIKE 'f%') AS there,
       (SELECT count(*)::int FROM resource_hub_documents WHERE content = 'three' AND current_version = 5) AS third,
       (SELECT count(*)::int FROM resource_hub_files WHERE deleted_at IS NOT NULL AND id LIKE 'f%') AS others,
       (SELECT count(*)::int FROM notifications) AS told`,
  );
  expect(records).toEqual({ closed: 225, there: 225 + 25 + 25 + files.length, third: 225, others: 10_000, told: 25 });
  expect(await undo()).toMatchObject({ undone: 0 });
}, 600_000);
