import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { escapeIdentifier, escapeLiteral, type DatabaseError as PgError } from 'pg';
import { DatabaseError, withClient, withTimedClient } from '../servers/index.js';
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

/** What a role may do in a migrated database, apart from reading and writing every row. */
interface Privileges {
  /** What the gateway needs and the role lacks, such as `INSERT on goals`. */
  missing: string[];
  /** What the gateway never needs and the role has, such as `it is a superuser`. */
  excessive: string[];
}

const statementOn = (table: string) => `
  WITH structure AS (
    SELECT c.oid, c.relname AS name, c.relkind = 'v' OR c.relname = '_prisma_migrations' AS is_only_read, c.relowner
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
      AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = ${escapeLiteral(`public.${table}`)}::regclass)
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

/** What the role of the URL lacks or has too much of, for the tables of the owner of `table`, one of them. */
export const privilegesAt = (url: string, table: string, milliseconds: number): Promise<Privileges> =>
  withTimedClient(
    url,
    milliseconds,
    async (client) => (await client.query<Privileges>(statementOn(table))).rows[0] ?? none,
  );

const none: Privileges = { missing: [], excessive: [] };

/** A role of the database. Without a password, the one that it has stays. */
interface Role {
  name: string;
  password?: string | undefined;
}

interface Roles {
  /** Owns the tables: migrates, and places them on a Citus. */
  owner: Role;
  /** Reads and writes rows: serves, imports, purges, and manages tokens. */
  gateway: Role;
}

/**
 * SQL that makes both roles and gives them what they need, in the database in which it runs, also for the tables of later
 * migrations. It may run again. A password is in it as its SCRAM verifier only.
 */
export function rolesSql({ owner, gateway }: Roles): string {
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

-- It may read which migrations the database has had.
${migrationsTable};
REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${gatewayName};

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

/** Runs that SQL in the database at `url`. Throws a DatabaseError, and changes nothing then. */
export const createRoles = (url: string, roles: Roles): Promise<void> =>
  withClient(url, 'make the roles', async (client) => {
    await client.query(rolesSql(roles)).catch((error: PgError) => {
      throw new DatabaseError(`Cannot make the roles: ${error.message}. Nothing was changed.`);
    });
  });

const createUnlessExists = ({
  name,
}: Role) => `  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${escapeLiteral(name)}) THEN
    CREATE ROLE ${escapeIdentifier(name)} LOGIN;
  END IF;`;

const passwordOf = ({ name, password }: Role) =>
  password === undefined
    ? ''
    : `ALTER ROLE ${escapeIdentifier(name)} PASSWORD ${escapeLiteral(scramVerifier(password))};\n`;
