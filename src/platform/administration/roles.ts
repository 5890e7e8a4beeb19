import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Client, escapeLiteral, type DatabaseError as PgError } from 'pg';
import { fileUrl } from '../../fileSystem.js';
import { lazy } from '../caching/index.js';
import { canNoticeGoneClients, DatabaseError, withClient } from '../postgres/index.js';
import { shellWord } from '../settings/index.js';

const iterations = 4096;

/** A password as PostgreSQL's clients prepare it before they prove that they know it (SASLprep, RFC 4013). */
const prepared = (password: string) =>
  password
    .replace(/[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/g, ' ')
    .replace(/\u00AD|\u034F|\u1806|[\u180B-\u180D]|\u200C|\u200D|\u2060|[\uFE00-\uFE0F]|\uFEFF/g, '')
    .normalize('NFKC');

/** What PostgreSQL stores of a password (RFC 5803), so that the password itself is in no statement and no log. */
function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(prepared(password), salt, iterations, 32, 'sha256');
  const keyed = (label: string) => createHmac('sha256', salted).update(label).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest();
  const keys = `${storedKey.toString('base64')}:${keyed('Server Key').toString('base64')}`;
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${keys}`;
}

/** A role of the database. Without a password, the one that it has stays. */
interface Role {
  name: string;
  password?: string | undefined;
}

export interface Roles {
  owner: Role;
  gateway: Role;
  application?: Role | undefined;
  /** Whether roles that exist get the passwords. Without it, a password for one is refused. */
  replacePasswords?: boolean | undefined;
}

const script = lazy(() => readFileSync(fileUrl('../prisma/roles.sql'), 'utf8'));

/** A part of the script, between two of its headings. */
const between = (from: string, to: string) => script().split(`-- ── ${from} ──`)[1]?.split(`-- ── ${to} ──`)[0] ?? '';

/** The script has its values where psql would have variables. */
const filled = (text: string, values: Record<string, string>): string =>
  text
    .replaceAll(':can_notice_gone_clients', canNoticeGoneClients)
    .replaceAll(/:'(\w+)'/g, (_, name) => escapeLiteral(values[name] ?? ''));

/** SQL that makes the roles and gives them what they need, in the database in which it runs. Passwords are in it as their verifiers only. */
export function rolesSql({ replacePasswords, ...roles }: Roles): string {
  const values: Record<string, string> = { replace_passwords: replacePasswords ? 'on' : '' };
  for (const [kind, role] of Object.entries(roles)) {
    values[kind] = role?.name ?? '';
    values[`${kind}_password`] = role?.password ? scramVerifier(role.password) : '';
  }
  return filled(script(), values);
}

/** Runs that SQL at `url`. Returns the roles that were there before. Throws a DatabaseError, and changes nothing then. */
export const createRoles = (url: string, roles: Roles): Promise<string[]> =>
  withClient(url, 'make the roles', async (client) => {
    const names = [roles.owner, roles.gateway, roles.application].flatMap((role) => role?.name ?? []);
    const { rows } = await client.query('SELECT rolname::text AS name FROM pg_roles WHERE rolname = ANY ($1)', [names]);
    await client.query(rolesSql(roles)).catch(({ code, message }: PgError) => {
      const remedies: Record<string, string> = {
        '42501': ' Run it as a superuser, or as the owner of the database if it may create roles.',
        '42710':
          ' It may be another installation’s: give other names with --owner, --gateway and --application, leave its password out, or add --replace-passwords.',
      };
      throw new DatabaseError(`Cannot make the roles: ${message}. Nothing was changed.${remedies[code ?? ''] ?? ''}`);
    });
    return rows.map(({ name }) => name);
  });

/** Gives the application's role its privileges, if the URL's role owns the tables; returns whether it does. */
export const grantToApplication = (url: string, role: string): Promise<boolean> =>
  withClient(url, 'give the application its privileges', async (client) => {
    const { rows } = await client.query<{ isOwner: boolean; isThere: boolean }>(
      `SELECT pg_has_role(relowner, 'USAGE') AS "isOwner", EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS "isThere"
       FROM pg_class WHERE oid = 'public._prisma_migrations'::regclass`,
      [role],
    );
    if (!rows[0]?.isOwner) return false;
    if (!rows[0].isThere)
      throw new DatabaseError(
        `The role ${role} does not exist. npx goalpost roles --application ${shellWord(role)} prints the SQL; add --owner and --gateway if those roles have other names.`,
      );
    const grants = between('Rights on tables: the owner runs this after each migration, too', 'End');
    await client.query(filled(grants, { application: role }));
    return true;
  });

/** What a role lacks for its task, and may do beyond it, such as `INSERT on goals`; the owner of the tables, and who asks. */
export interface Privileges {
  missing: string[];
  excessive: string[];
  owner: string;
  user: string;
}

const differences = `
  SELECT pg_get_userbyid(o.relowner) AS owner, current_user::text AS "user",
    array_remove(ARRAY[
      CASE WHEN NOT has_database_privilege(r.oid, current_database(), 'CONNECT') THEN 'CONNECT on the database' END,
      CASE WHEN NOT has_schema_privilege(r.oid, 'public', 'USAGE') THEN 'USAGE on the schema public' END], NULL) || ARRAY(
      SELECT format('%s on %s', w.privilege, w.name) FROM rights w
      WHERE w.role = $2 AND CASE WHEN w.columns IS NULL THEN NOT has_table_privilege(r.oid, w.oid, w.privilege)
        ELSE EXISTS (SELECT FROM unnest(w.columns) c WHERE NOT has_column_privilege(r.oid, w.oid, c, w.privilege)) END
      ORDER BY w.name, w.privilege) AS missing,
    array_remove(ARRAY[
      CASE WHEN r.rolsuper THEN 'it is a superuser' END,
      CASE WHEN r.rolcreaterole THEN 'it may make roles' END,
      CASE WHEN r.rolcreatedb THEN 'it may make databases' END,
      CASE WHEN pg_has_role(r.oid, o.relowner, 'USAGE') THEN 'it owns the tables' END,
      CASE WHEN has_schema_privilege(r.oid, 'public', 'CREATE') THEN 'it may make tables' END,
      CASE WHEN EXISTS (SELECT FROM structure s WHERE has_table_privilege(r.oid, s.oid, 'TRUNCATE')) THEN 'it may empty tables' END], NULL) || ARRAY(
      SELECT format('%s%s on %s', p, CASE WHEN w.oid IS NOT NULL THEN format(' (%s)', e.columns) END, s.name)
      FROM structure s CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
      LEFT JOIN rights w ON w.oid = s.oid AND w.role = s.role AND w.privilege = p
      CROSS JOIN LATERAL (
        SELECT string_agg(c, ', ') AS columns FROM unnest(s.columns) c WHERE c <> ALL (coalesce(w.columns, '{}'))
          AND CASE p WHEN 'DELETE' THEN has_table_privilege(r.oid, s.oid, p) ELSE has_column_privilege(r.oid, s.oid, c, p) END) e
      WHERE s.role = $2 AND e.columns IS NOT NULL AND (w.oid IS NULL OR w.columns IS NOT NULL)
      ORDER BY s.name, p) AS excessive
  FROM pg_roles r, (SELECT relowner FROM structure LIMIT 1) o WHERE r.rolname = coalesce($1, current_user)`;

/** Compares what a role may do with what its task needs: without a name, who asks as the gateway's. Undefined if there is no such role. */
export async function privilegesOf(client: Client, name?: string): Promise<Privileges | undefined> {
  const task = name === undefined ? 'gateway' : 'application';
  const { rows } = await client.query<Privileges>(between('Rights', 'Grants') + differences, [name ?? null, task]);
  return rows[0];
}
