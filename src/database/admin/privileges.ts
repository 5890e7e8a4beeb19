import { withTimedClient } from '../servers/withTimedClient.js';

/** What a role may do in a migrated database, apart from reading and writing every row. */
export interface Privileges {
  /** What the gateway needs and the role lacks, such as `INSERT on goals`. */
  missing: string[];
  /** What the gateway never needs and the role has, such as `it is a superuser`. */
  excessive: string[];
}

const statement = `
  WITH structure AS (
    SELECT c.oid, c.relname AS name, c.relkind = 'v' OR c.relname = '_prisma_migrations' AS is_only_read, c.relowner
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
      AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = 'public.companies'::regclass)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  )
  SELECT
    ARRAY(
      SELECT format('%s on %s', p, name) FROM structure, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
      WHERE NOT (is_only_read AND p <> 'SELECT') AND NOT has_table_privilege(oid, p) ORDER BY name, p
    ) AS missing,
    array_remove(ARRAY[
      CASE WHEN r.rolsuper THEN 'it is a superuser' END,
      CASE WHEN r.rolcreaterole THEN 'it may make roles' END,
      CASE WHEN r.rolcreatedb THEN 'it may make databases' END,
      CASE WHEN EXISTS (SELECT FROM structure WHERE pg_has_role(relowner, 'USAGE')) THEN 'it owns the tables' END,
      CASE WHEN has_schema_privilege('public', 'CREATE') THEN 'it may make tables' END,
      CASE WHEN EXISTS (SELECT FROM structure WHERE has_table_privilege(oid, 'TRUNCATE')) THEN 'it may empty tables' END,
      CASE WHEN has_table_privilege('_prisma_migrations', 'INSERT, UPDATE, DELETE')
        THEN 'it may change which migrations count as applied' END
    ], NULL) AS excessive
  FROM pg_roles r WHERE r.rolname = current_user`;

/** What the role of the URL lacks or has too much of. The database must be migrated. */
export const privilegesAt = (url: string, milliseconds: number): Promise<Privileges> =>
  withTimedClient(url, milliseconds, async (client) => (await client.query<Privileges>(statement)).rows[0] ?? none);

const none: Privileges = { missing: [], excessive: [] };
