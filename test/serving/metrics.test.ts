import { describe, expect, test } from 'vitest';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import { samplesIn, sumOf } from '../support/scrape.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const furniture = await createWorld({ isAlone: true });
const { caller, company, space } = await furniture.team();

/** A gateway that nothing was asked yet, and what its metrics say. */
function gateway(options: ConstructorParameters<typeof World>[2] = {}) {
  const metrics = new Metrics({
    poolSize: 20,
    connections: () => furniture.db.connectionUse(),
    ...{ unsentBytes: () => 0, streams: () => 0, isDatabaseUp: () => true },
    webhooks: () => ({ active: 0, failing: 0, disabled: 0, lag: 0, unnumbered: 0 }),
    gauges: [],
  });
  const world = new World(furniture.db, furniture.url, { metrics, ...options });
  return { world, scrape: async () => samplesIn((await metrics.read()).text) };
}

describe('the figures', () => {
  test('add up with what was sent, and with the lines in the log', async () => {
    const { world, scrape } = gateway();
    const goal = await world.closedGoal(space);
    const file = await world.file(await world.hub(company, { spaceId: space.id }), caller);
    const archived = await world.closedGoal(space, { archivedAt: world.now });
    const reopen = (id: string, headers = {}) => world.post(restPaths.reopenGoal, caller.token, { id }, headers);
    for (const _ of [1, 2, 3]) await reopen(goal.id, { 'idempotency-key': 'once' });
    for (const _ of [1, 2]) await reopen(archived.id);
    for (const _ of [1, 2]) await world.post(restPaths.deleteResourceHubFile, caller.token, { file_id: file.id });
    for (const _ of [1, 2]) await world.graphql(caller.token, '{ viewer { person { id } } }');
    await world.graphql(caller.token, '{ viewer { person { id } } goals { totalCount } }');
    await world.graphql(null, '{ viewer { person { id } } }');
    for (const path of ['/a', '/b', '/c']) await world.fetch(path);

    const samples = await scrape();
    const counts = samples
      .filter(({ name }) => name === 'goalpost_requests_total')
      .map(({ labels: { operation, status }, value }) => [operation, status, value]);
    expect(counts.sort()).toEqual(
      [
        ['reopenGoal', '200', 3],
        ['reopenGoal', '409', 2],
        ['deleteResourceHubFile', '200', 1],
        ['deleteResourceHubFile', '404', 1],
        ['viewer', '200', 2],
        ['several', '200', 1],
        ['/graphql', '401', 1],
        ['unknown', '404', 3],
      ].sort(),
    );
    const errors = samples
      .filter(({ name }) => name === 'goalpost_errors_total')
      .map(({ labels: { operation, code }, value }) => [operation, code, value]);
    expect(errors.sort()).toEqual(
      [
        ['reopenGoal', 'GOAL_ARCHIVED', 2],
        ['deleteResourceHubFile', 'NOT_FOUND', 1],
        ['/graphql', 'UNAUTHENTICATED', 1],
        ['unknown', 'NOT_FOUND', 3],
      ].sort(),
    );
    const logged = world.log as Json[];
    const total = (field: string) => logged.reduce((sum, line) => sum + line[field], 0);
    expect(sumOf(samples, 'goalpost_requests_total')).toBe(logged.length);
    expect(sumOf(samples, 'goalpost_idempotency_replays_total', { operation: 'reopenGoal' })).toBe(2);
    expect(sumOf(samples, 'goalpost_request_sql_statements_sum')).toBe(total('statements'));
    expect(sumOf(samples, 'goalpost_request_duration_seconds_count')).toBe(logged.length);
    expect(sumOf(samples, 'goalpost_request_duration_seconds_sum')).toBeCloseTo(total('milliseconds') / 1000, 1);
  });

  test('count what was repeated because it lost to another', async () => {
    const { world, scrape } = gateway();
    const goal = await world.closedGoal(space);
    // A sequence is not undone with the statement that fails.
    await world.sql(`CREATE SEQUENCE tries; GRANT USAGE ON SEQUENCE tries TO PUBLIC;
      CREATE FUNCTION lose_twice() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF nextval('tries') <= 2 THEN RAISE 'lost' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER lose BEFORE UPDATE ON goals FOR EACH ROW EXECUTE FUNCTION lose_twice()`);
    try {
      const { status } = await world.post(restPaths.reopenGoal, caller.token, { id: goal.id });
      expect(status).toBe(200);
    } finally {
      await world.sql('DROP TRIGGER lose ON goals');
    }
    expect(sumOf(await scrape(), 'goalpost_sql_repetitions_total', { operation: 'reopenGoal' })).toBe(2);
    expect(world.log).toMatchObject([{ repetitions: 2 }]);
  });
});
