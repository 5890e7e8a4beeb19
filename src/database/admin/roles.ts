import { escapeIdentifier, escapeLiteral, type DatabaseError as PgError } from 'pg';
import { DatabaseError } from '../error.js';
import { withClient } from '../servers/withClient.js';
import { migrationsTable } from './applyMigration.js';
import { scramVerifier } from './scramVerifier.js';

/** A role of the database. Without a password, the one that it has stays. */
interface Role {
  name: string;
  password?: string | undefined;
}

export interface Roles {
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
  return `-- The roles of a Goalpost database. Run this in that database as a superuser, or as the owner of the database (in
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
