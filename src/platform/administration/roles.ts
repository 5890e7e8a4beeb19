import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { escapeIdentifier, escapeLiteral, type DatabaseError as PgError } from 'pg';
import { DatabaseError, withClient, withTimedClient } from '../postgres/index.js';
import { migrationsTable } from './migrations.js';

const iterations = 4096;

/** What PostgreSQL stores of a password (RFC 5803), so that the password itself is in no statement and no log. */
function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyed = (label: string) => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest();
  const keys = `${storedKey.toString('base64')}:${keyed('Server Key').toString('base64')}`;
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${keys}`;
}

/** What a role may do in a migrated database. */
interface Privileges {
  /** What its task needs and the role lacks, such as `INSERT on goals`. */
  missing: string[];
  /** What its task never needs and the role has, such as `it is a superuser`. */
  excessive: string[];
  /** The role that owns the tables, and the one that asks. */
  owner: string;
  user: string;
}

/** What the main application may do with the rows of a table, besides reading them. */
interface TableRights {
  may?: readonly ('INSERT' | 'UPDATE' | 'DELETE')[];
  /** Columns that only gateways write. */
  except?: readonly string[];
}

/** The tables and views that the main application reads; nothing else is its business. */
export type ApplicationTables = Readonly<Record<string, TableRights>>;

/** The tables that are only added to, and the columns of them that a gateway changes nevertheless. */
export type HistoryTables = Readonly<Record<string, readonly string[]>>;

/** The tables and views of the owner of `table`, one of them. */
const structureOf = (table: string) => `structure AS (
    SELECT c.oid, c.relname AS name, c.relkind = 'v' OR c.relname = '_prisma_migrations' AS is_only_read, c.relowner
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
      AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = ${escapeLiteral(`public.${table}`)}::regclass)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  )`;

/** What no role may do that only reads and writes rows; `r` is the role. */
const tooStrong = `
      CASE WHEN r.rolsuper THEN 'it is a superuser' END,
      CASE WHEN r.rolcreaterole THEN 'it may make roles' END,
      CASE WHEN r.rolcreatedb THEN 'it may make databases' END,
      CASE WHEN EXISTS (SELECT FROM structure WHERE pg_has_role(r.oid, relowner, 'USAGE')) THEN 'it owns the tables' END,
      CASE WHEN has_schema_privilege(r.oid, 'public', 'CREATE') THEN 'it may make tables' END,
      CASE WHEN EXISTS (SELECT FROM structure s WHERE has_table_privilege(r.oid, s.oid, 'TRUNCATE'))
        THEN 'it may empty tables' END`;

const ownerAndUser = `(SELECT pg_get_userbyid(relowner) FROM structure LIMIT 1) AS owner, current_user::text AS "user"`;

/** The columns of each table that a gateway may change, if these are not all. Citus knows no privileges of columns. */
const changedOf = (history: HistoryTables) => `history (name, columns) AS (
    SELECT * FROM (VALUES ${Object.entries(history)
      .map(([name, columns]) => `(${escapeLiteral(name)}, ${textArray(columns)})`)
      .join(', ')}) listed (name, columns)
    WHERE cardinality(columns) = 0 OR NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
  )`;

const gatewayPrivileges = (table: string, history: HistoryTables) => `
  WITH ${structureOf(table)}, ${changedOf(history)}
  SELECT
    ARRAY(
      SELECT format('%s on %s', p, name)
      FROM structure s LEFT JOIN history h USING (name), unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
      WHERE NOT (is_only_read AND p <> 'SELECT') AND CASE WHEN p = 'UPDATE' AND h.columns IS NOT NULL
        THEN EXISTS (SELECT FROM unnest(h.columns) c WHERE NOT has_column_privilege(s.oid, c, p))
        ELSE NOT has_table_privilege(s.oid, p) END
      ORDER BY name, p
    ) AS missing,
    ${ownerAndUser},
    array_remove(ARRAY[${tooStrong},
      CASE WHEN EXISTS (
        SELECT FROM structure s JOIN history h USING (name) JOIN pg_attribute a ON a.attrelid = s.oid
        WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (h.columns) AND has_column_privilege(s.oid, a.attnum, 'UPDATE')
      ) THEN 'it may rewrite history' END,
      CASE WHEN has_table_privilege('_prisma_migrations', 'INSERT, UPDATE, DELETE')
        THEN 'it may change which migrations count as applied' END
    ], NULL) AS excessive
  FROM pg_roles r WHERE r.rolname = current_user`;

const textArray = (values: readonly string[]) =>
  `ARRAY[${values.map((value) => escapeLiteral(value)).join(', ')}]::text[]`;

/**
 * What the application needs: one row for each table and privilege, with the columns if it is not for all. The columns of
 * a key are written once. Citus knows no privileges of columns.
 */
const wantedOf = (tables: ApplicationTables) => `listed (name, privileges, kept) AS (VALUES
    ${Object.entries(tables)
      .map(
        ([name, { may = [], except = [] }]) =>
          `(${escapeLiteral(name)}, ${textArray(['SELECT', ...may])}, ${textArray(except)})`,
      )
      .join(',\n    ')}
  ), wanted AS (
    SELECT c.oid, c.relname AS name, p AS privilege,
      CASE WHEN (p = 'UPDATE' OR (p = 'INSERT' AND cardinality(l.kept) > 0))
        AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
      THEN ARRAY(
        SELECT a.attname::text FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (l.kept)
          AND NOT (p = 'UPDATE' AND EXISTS (
            SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)))
        ORDER BY a.attnum) END AS columns
    FROM listed l JOIN pg_class c ON c.relname = l.name AND c.relnamespace = 'public'::regnamespace
    CROSS JOIN unnest(l.privileges) p
  )`;

const applicationPrivileges = (table: string, role: string, tables: ApplicationTables) => `
  WITH ${structureOf(table)}, ${wantedOf(tables)}
  SELECT
    array_remove(ARRAY[
      CASE WHEN NOT has_database_privilege(r.oid, current_database(), 'CONNECT') THEN 'CONNECT on the database' END,
      CASE WHEN NOT has_schema_privilege(r.oid, 'public', 'USAGE') THEN 'USAGE on the schema public' END
    ], NULL) || ARRAY(
      SELECT format('%s on %s', w.privilege, w.name) FROM wanted w
      WHERE CASE WHEN w.columns IS NULL THEN NOT has_table_privilege(r.oid, w.oid, w.privilege)
        ELSE EXISTS (SELECT FROM unnest(w.columns) a WHERE NOT has_column_privilege(r.oid, w.oid, a, w.privilege)) END
      ORDER BY w.name, w.privilege
    ) AS missing,
    ${ownerAndUser},
    array_remove(ARRAY[${tooStrong}], NULL) || ARRAY(
      SELECT format('%s on %s', p, s.name) FROM structure s, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
      WHERE NOT EXISTS (SELECT FROM wanted w WHERE w.oid = s.oid AND w.privilege = p)
        AND CASE p WHEN 'DELETE' THEN has_table_privilege(r.oid, s.oid, p) ELSE has_any_column_privilege(r.oid, s.oid, p) END
      ORDER BY s.name, p
    ) || ARRAY(
      SELECT format('%s of %s on %s', w.privilege, a.attname, w.name) FROM wanted w JOIN pg_attribute a ON a.attrelid = w.oid
      WHERE w.columns IS NOT NULL AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (w.columns)
        AND has_column_privilege(r.oid, w.oid, a.attnum, w.privilege) ORDER BY w.name, w.privilege, a.attnum
    ) AS excessive
  FROM pg_roles r WHERE r.rolname = ${escapeLiteral(role)}`;

interface Asked {
  /** The owner of this table owns all of them. */
  table: string;
  history: HistoryTables;
  /** The role of the main application, and what it may do; without it, the role of the URL as the gateway's. */
  application?: { role: string; tables: ApplicationTables };
}

/** What a role lacks or has too much of for its task; undefined if there is no such role. */
export const privilegesAt = (
  url: string,
  { table, history, application }: Asked,
  milliseconds: number,
): Promise<Privileges | undefined> =>
  withTimedClient(url, milliseconds, async (client) => {
    const statement = application
      ? applicationPrivileges(table, application.role, application.tables)
      : gatewayPrivileges(table, history);
    return (await client.query<Privileges>(statement)).rows[0];
  });

/** A role of the database. Without a password, the one that it has stays. */
interface Role {
  name: string;
  password?: string | undefined;
}

interface Roles {
  /** What nobody but the owner rewrites. */
  history: HistoryTables;
  /** Owns the tables: migrates, and places them on a Citus. */
  owner: Role;
  /** Reads and writes rows: serves, imports, purges, and manages tokens. */
  gateway: Role;
  /** Reads and writes rows of some tables: the main application. */
  application?: (Role & { tables: ApplicationTables }) | undefined;
}

/**
 * SQL that makes the roles and gives them what they need, in the database in which it runs; the owner and the gateway also
 * get it for the tables of later migrations. It may run again. A password is in it as its SCRAM verifier only.
 */
export function rolesSql({ owner, gateway, application, history }: Roles): string {
  const [ownerName, gatewayName] = [escapeIdentifier(owner.name), escapeIdentifier(gateway.name)];
  return `-- The roles of a database. Run this in that database as a superuser, or as the owner of the database (in
-- PostgreSQL 14, and of its schema public) if that role may create roles. It may run again, before or after a migration.
BEGIN;
DO $$
BEGIN
${createUnlessExists(owner)}
${createUnlessExists(gateway)}
  IF NOT pg_has_role(${escapeLiteral(owner.name)}, 'USAGE') THEN
    GRANT ${ownerName} TO CURRENT_USER;
  END IF;
  EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO %I', current_database(), ${escapeLiteral(owner.name)});
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), ${escapeLiteral(gateway.name)});
END
$$;
${passwordOf(owner)}${passwordOf(gateway)}
-- Only the owner makes tables, and what hangs on them. PostgreSQL 14 lets every role do so.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO ${ownerName};
GRANT USAGE ON SCHEMA public TO ${gatewayName};

-- The gateway reads and writes rows, in the tables that exist and in those of later migrations.
SET LOCAL ROLE ${ownerName};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${gatewayName};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${gatewayName};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO ${gatewayName};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${gatewayName};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${gatewayName};

-- It only adds to history, apart from the numbers of events. The migrations do the same. On Citus, which knows no privileges of
-- columns, it may change activities.
DO $$
DECLARE
  history text;
  changed text;
BEGIN
  FOR history, changed IN
    WITH ${changedOf(history)}
    SELECT c.oid::regclass, (SELECT string_agg(quote_ident(a), ', ') FROM unnest(h.columns) a)
    FROM history h JOIN pg_class c ON c.relname = h.name AND c.relnamespace = 'public'::regnamespace
  LOOP
    EXECUTE format('REVOKE UPDATE ON %s FROM %I', history, ${escapeLiteral(gateway.name)});
    IF changed IS NOT NULL THEN
      EXECUTE format('GRANT UPDATE (%s) ON %s TO %I', changed, history, ${escapeLiteral(gateway.name)});
    END IF;
  END LOOP;
END
$$;

-- It may read which migrations the database has had.
${migrationsTable};
REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${gatewayName};
${application ? applicationSql(owner, application) : ''}
-- In PostgreSQL 14 the schema belongs to a superuser, and PostgreSQL only warns if another role cannot revoke.
DO $$
BEGIN
  IF has_schema_privilege(${escapeLiteral(gateway.name)}, 'public', 'CREATE') THEN
    RAISE EXCEPTION 'the gateway could still make tables in the schema public: run this as the owner of that schema, or as a superuser';
  END IF;
END
$$;
COMMIT;
`;
}

/** As the owner of the tables, and then again as whoever runs the SQL. */
function applicationSql(owner: Role, { tables, ...role }: Role & { tables: ApplicationTables }): string {
  const name = escapeIdentifier(role.name);
  return `
-- The main application reads and writes rows of its tables: no others, no key of a row that exists, and no column that only
-- gateways write. On Citus, which knows no privileges of columns, it may write all columns of these tables.
RESET ROLE;
DO $$
BEGIN
${createUnlessExists(role)}
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), ${escapeLiteral(role.name)});
END
$$;
${passwordOf(role)}GRANT USAGE ON SCHEMA public TO ${name};
SET LOCAL ROLE ${escapeIdentifier(owner.name)};
${grantsSql(role.name, tables)}`;
}

/** What the owner of the tables runs. */
const grantsSql = (
  role: string,
  tables: ApplicationTables,
) => `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${escapeIdentifier(role)};
DO $$
DECLARE
  wanted_grant text;
  grants integer := 0;
BEGIN
  FOR wanted_grant IN
  WITH ${wantedOf(tables)}
  SELECT format('GRANT %s%s ON public.%I TO %I', privilege, ' (' || (SELECT string_agg(quote_ident(a), ', ') FROM unnest(columns) a) || ')',
    name, ${escapeLiteral(role)}) FROM wanted
  LOOP
    EXECUTE wanted_grant;
    grants := grants + 1;
  END LOOP;
  IF grants = 0 THEN
    RAISE WARNING 'there are no tables yet: goalpost migrate, with the setting APPLICATION_ROLE, gives the application its privileges';
  END IF;
END
$$;
`;

/**
 * Gives the role of the main application what it needs of the tables that there are now, if the role of the URL owns them;
 * returns whether it does. Throws a DatabaseError, and changes nothing then.
 */
export const grantToApplication = (
  url: string,
  { table, role, tables }: { table: string; role: string; tables: ApplicationTables },
): Promise<boolean> =>
  withClient(url, 'give the application its privileges', async (client) => {
    const { rows } = await client.query<{ isOwner: boolean; isThere: boolean }>(
      `SELECT pg_has_role(relowner, 'USAGE') AS "isOwner", EXISTS (SELECT FROM pg_roles WHERE rolname = $2) AS "isThere"
       FROM pg_class WHERE oid = $1::regclass`,
      [`public.${table}`, role],
    );
    if (!rows[0]?.isOwner) return false;
    if (!rows[0].isThere)
      throw new DatabaseError(
        `The role ${role} does not exist. npx goalpost roles --application ${role} prints the SQL; add --owner and --gateway if those roles have other names.`,
      );
    await client.query(`BEGIN;\n${grantsSql(role, tables)}COMMIT;`);
    return true;
  });

/** Runs that SQL in the database at `url`, and returns its warnings. Throws a DatabaseError, and changes nothing then. */
export const createRoles = (url: string, roles: Roles): Promise<string[]> =>
  withClient(url, 'make the roles', async (client) => {
    const warnings: string[] = [];
    client.on('notice', ({ severity, message }) => {
      if (severity === 'WARNING' && message !== undefined) warnings.push(message);
    });
    await client.query(rolesSql(roles)).catch((error: PgError) => {
      const remedy =
        error.code === '42501' ? ' Run it as a superuser, or as the owner of the database if it may create roles.' : '';
      throw new DatabaseError(`Cannot make the roles: ${error.message}. Nothing was changed.${remedy}`);
    });
    return warnings;
  });

/** Roles belong to the server, so another database of it may have made the role, and need its password. */
function createUnlessExists({ name, password }: Role): string {
  const warning = `the role ${name} exists on this server already: its password is replaced by the one given here`;
  const otherwise = password === undefined ? '' : `\n  ELSE\n    RAISE WARNING '%', ${escapeLiteral(warning)};`;
  return `  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${escapeLiteral(name)}) THEN
    CREATE ROLE ${escapeIdentifier(name)} LOGIN;${otherwise}
  END IF;`;
}

const passwordOf = ({ name, password }: Role) =>
  password === undefined
    ? ''
    : `ALTER ROLE ${escapeIdentifier(name)} PASSWORD ${escapeLiteral(scramVerifier(password))};\n`;
