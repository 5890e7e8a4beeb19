import { expect, test } from 'vitest';
import { openStream } from '../../support/openStream.js';
import { createWorld } from '../../support/world.js';

const world = await createWorld({ streaming: { most: 40 } });
world.startDispatcher();
const base = await world.base();
const unauthenticated = { errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }] };
const sequenceIn = (cursor: string): number => JSON.parse(Buffer.from(cursor, 'base64url').toString())[2];

test('a stream says within 15 seconds that it lives, and ends for good if the token is revoked meanwhile', async () => {
  const team = await world.team();
  const since = performance.now();
  const stream = await openStream(base, team.caller.token);
  const guest = await world.person(team.company, { type: 'guest' });
  const blind = await openStream(base, guest.token);
  const goal = await world.goal(team.space);
  await world.sql(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name) VALUES ($1, 'goal_closed', $2, $3, 'Goal')`,
    [team.company.companyId, team.caller.id, goal.id],
  );
  await stream.events(1);
  // What is hidden is passed, so that whoever comes back does not look at it again.
  expect(sequenceIn(blind.lastEventId)).toBe(0);
  expect(await blind.next()).toEqual({ id: blind.lastEventId, event: undefined, data: undefined });
  expect(sequenceIn(blind.lastEventId)).toBe(1);
  await world.sql('UPDATE api_tokens SET revoked_at = now() WHERE company_id = $1', [team.company.companyId]);
  expect(performance.now() - since).toBeLessThan(15_000);
  const revokedAt = performance.now();
  expect(await blind.event()).toMatchObject({ data: unauthenticated });
  expect(performance.now() - revokedAt).toBeLessThan(12_000);
  expect(await stream.event()).toMatchObject({ data: unauthenticated });
});
