import { describe, expect, test } from 'vitest';
import { createToken } from '../../../src/tokens.js';
import { eventually } from '../../support/eventually.js';
import { temporaryServer } from '../../support/temporary.js';
import { createWorld, restPaths } from '../../support/world.js';

const world = await createWorld();

/** Node with a clock that is some hours ahead, or behind. */
const shifted = (hours: number) => {
  const preload = `
    const { now } = Date;
    Date.now = () => now() + ${hours * 3_600_000};
    globalThis.Date = new Proxy(Date, {
      construct: (Real, given, target) => Reflect.construct(Real, given.length > 0 ? given : [Date.now()], target),
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
};

describe('a gateway', () => {
  test.each([25, -25])('whose clock is %i hours off judges what has expired as any other does', async (hours) => {
    const { company, caller, space, hub } = await world.teamWithHub('space');
    const goal = await world.closedGoal(space);
    const key = `clock-${hours}`;
    const reopen = (post: typeof world.post) =>
      post(restPaths.reopenGoal, caller.token, { id: goal.id }, { 'idempotency-key': key });
    const [old, recent] = [await world.file(hub, caller), await world.file(hub, caller)];
    const files = [old.id, recent.id];
    await world.sql(
      `UPDATE resource_hub_files SET deleted_at = now() - interval '1 hour' * CASE id WHEN $1 THEN 49 ELSE 47 END
       WHERE id = ANY($2)`,
      [old.id, files],
    );
    const tokenFor = async (minutes: number) => {
      const expiresAt = new Date(Date.now() + minutes * 60_000);
      return (await createToken(world.db, { ...company, personId: caller.id, name: 'brief', expiresAt })).token;
    };
    const [expired, valid] = [await tokenFor(-30), await tokenFor(30)];
    const first = await reopen((...given) => world.post(...given));
    expect(first.status).toBe(200);

    const { client } = await temporaryServer({
      DATABASE_URL: world.url,
      FILE_RETENTION_DAYS: '2',
      ...shifted(hours),
    });
    const left = async () =>
      (await world.sql('SELECT id FROM resource_hub_files WHERE id = ANY($1)', [files])).map(({ id }) => id);
    // It purges the outcomes of keys first, then the files.
    await eventually(async () => expect(await left()).not.toContain(old.id));
    expect(await left()).toEqual([recent.id]);
    const again = await reopen((...given) => client.post(...given));
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    const statuses = await Promise.all(
      [expired, valid].map(async (token) => (await client.graphql(token, '{ __typename }')).status),
    );
    expect(statuses).toEqual([401, 200]);
  });
});
