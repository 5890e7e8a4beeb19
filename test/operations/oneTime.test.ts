import { expect, test } from 'vitest';
import { createToken } from '../../src/tokens.js';
import { type Changes, changesOf } from '../support/changes.js';
import { undoToken } from '../support/undo.js';
import { createWorld, type Json, mentioning, restPaths } from '../support/world.js';

const world = await createWorld();
type Operation = keyof typeof restPaths;
type Team = Awaited<ReturnType<typeof world.teamWithHub>>;

/** Every time that was written. `recorded_at` is finer, and orders what has the same time. */
function timesIn({ added, changed }: Changes): Set<string> {
  const isTime = (name: string) => /_at$/.test(name) && !['recorded_at', 'undone_closed_at'].includes(name);
  const timesOf = (rows: Changes['added'], timeOf: (value: Json) => string | null) =>
    Object.values(rows)
      .flat()
      .flatMap((row) =>
        Object.keys(row)
          .filter(isTime)
          .map((name) => timeOf(row[name])),
      )
      .filter((time) => time !== null);
  return new Set([...timesOf(added, (time) => time), ...timesOf(changed, ([, time]) => time)]);
}

const changes: [Operation, (team: Team) => Promise<Json>, string][] = [
  [
    'reopenGoal',
    async ({ company, space }) => ({
      id: (await world.closedGoal(space)).id,
      message: 'Again',
      subscriber_ids: [(await world.person(company)).id],
    }),
    'goals',
  ],
  [
    'deleteResourceHubFile',
    async ({ company, hub, caller }) => {
      const file = await world.file(hub, caller);
      await world.subscribe({ companyId: file.companyId, fileId: file.id }, [await world.person(company)]);
      return { file_id: file.id };
    },
    'resource_hub_files',
  ],
  [
    'recoverResourceHubFile',
    async ({ hub, caller }) => ({ file_id: (await world.file(hub, caller, { deletedAt: new Date() })).id }),
    'resource_hub_files',
  ],
  [
    'restoreDocumentVersion',
    async ({ company, hub, caller }) => {
      const document = await world.document(hub, caller, [mentioning((await world.person(company)).id), 'two']);
      return { document_id: document.id, version_number: 1, expected_current_version: 2 };
    },
    'resource_hub_documents',
  ],
];

test.each(changes)(
  'all that %s writes has one time, and so has all that undoing it writes',
  async (operation, inputOf) => {
    const team = await world.teamWithHub('space');
    const { id, token } = await createToken(world.db, {
      ...team.company,
      personId: team.caller.id,
      name: 'a',
      canWrite: true,
    });
    const input = await inputOf(team);
    const [made, response] = await changesOf(world, () => world.post(restPaths[operation], token, input));
    expect(response.status).toBe(200);
    expect([...timesIn(made)]).toHaveLength(1);
    const [taken] = await changesOf(world, () => undoToken(world, id));
    expect(taken.added.activities).toHaveLength(1);
    const times = timesIn(taken);
    // The outcome of a goal before.
    for (const row of made.changed.goals ?? []) times.delete(row.closed_at[0]);
    expect([...times]).toEqual([taken.added.activities?.[0].inserted_at]);
  },
);

test.each(changes)(
  '%s that waits for another change of its record is later than that',
  async (operation, inputOf, table) => {
    const team = await world.teamWithHub('space');
    const input = await inputOf(team);
    const key = [team.company.companyId, input.id ?? input.file_id ?? input.document_id];
    const other = await world.holding(`SELECT FROM ${table} WHERE company_id = $1 AND id = $2 FOR UPDATE`, key);
    const waiting = world.post(restPaths[operation], team.caller.token, input);
    await world.untilOneWaits();
    const { rows } = await other.query('SELECT clock_timestamp() AS now');
    await other.release();
    expect((await waiting).status).toBe(200);
    const [activity] = await world.sql(
      'SELECT inserted_at FROM activities WHERE company_id = $1 AND coalesce(goal_id, file_id, document_id) = $2',
      key,
    );
    expect(activity.inserted_at.getTime()).toBeGreaterThanOrEqual(rows[0].now.getTime());
  },
);
