import { openDemo } from '../../src/commands/demo.js';
import type { DemoTokens } from '../../src/gateway.js';
import type { Known } from './randomQueries.js';
import { temporaryFolder } from './temporary.js';
import type { Json, World } from './world.js';

/** Imports the demo workspace for random requests. */
export async function openRandomDemo(world: World): Promise<DemoTokens> {
  const tokens = await openDemo(world.db, await temporaryFolder());
  if (!tokens) throw new Error('the demo workspace was not imported');
  // Lists whose items differ: every second goal has a parent, which has none.
  await world.sql('UPDATE goals SET parent_goal_id = NULL WHERE id = (SELECT min(id) FROM goals)');
  await world.sql(`UPDATE goals SET parent_goal_id = (SELECT min(id) FROM goals p WHERE p.company_id = goals.company_id)
    WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY name) AS n FROM goals) g WHERE n % 2 = 1)
      AND id <> (SELECT min(id) FROM goals)`);
  return tokens;
}

/** What a random request may ask for and find. */
export async function knownTo(world: World, token: string): Promise<Known> {
  const tables = ['goals', 'resource_hubs', 'resource_hub_folders', 'resource_hub_files', 'resource_hub_documents'];
  const rows = await world.sql(
    [...tables, 'people', 'spaces'].map((table) => `SELECT id FROM ${table}`).join(' UNION '),
  );
  const lists = '{ goals(first: 3) { edges { cursor } } spaces(first: 3) { edges { cursor } } }';
  const { data } = (await world.graphql(token, lists)).body;
  const cursors = [...data.goals.edges, ...data.spaces.edges].map(({ cursor }: Json) => cursor);
  return { ids: rows.map(({ id }) => id).sort(), cursors };
}
