import type { Client } from 'pg';
import { DatabaseError } from '../../error.js';
import { withClient } from '../../servers/withClient.js';

/** Connects to a Citus coordinator that has workers. Throws a DatabaseError if it is none, or not the role's. */
export const withCoordinator = <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> =>
  withClient(url, 'distribute', async (client) => {
    await requireCoordinator(client);
    return work(client);
  });

async function requireCoordinator(client: Client): Promise<void> {
  const extension = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (extension.rows.length === 0)
    throw new DatabaseError('This is not a Citus database: it lacks the extension citus. Nothing was changed.');
  const group = await client.query('SELECT groupid FROM pg_dist_local_group');
  if (group.rows[0]?.groupid !== 0)
    throw new DatabaseError('This is a worker. Connect to the coordinator. Nothing was changed.');
  const workers = await client.query(
    "SELECT FROM pg_dist_node WHERE groupid <> 0 AND isactive AND shouldhaveshards AND noderole = 'primary'",
  );
  if (workers.rows.length === 0)
    throw new DatabaseError('The coordinator has no workers. Add them with citus_add_node. Nothing was changed.');
  const owner = await client.query(`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND NOT pg_has_role(c.relowner, 'USAGE') LIMIT 1`);
  if (owner.rows.length > 0)
    throw new DatabaseError(`This role does not own the table ${owner.rows[0].name}. Nothing was changed.`);
}
