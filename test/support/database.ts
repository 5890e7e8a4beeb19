import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

const TEMPLATE_IN_USE = '55006';

/** A database of one's own: a migrated, empty one, or a copy of another. */
export interface TestDatabase {
  /** For the role that may do everything. */
  url: string;
  /** For the role of the gateway, which only reads and writes rows. */
  gatewayUrl: string;
  /** Also ends the connections to it. */
  drop(): Promise<void>;
}

export async function createDatabase(from?: string): Promise<TestDatabase> {
  const { adminUrl, template, gateway, pgbouncerPort } = inject('database');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, async (admin) => {
    await copyTemplate(admin, from ?? template, name);
    const isolation = process.env.TEST_ISOLATION;
    if (isolation) await admin.query(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`);
  });
  const url = new URL(adminUrl);
  url.pathname = name;
  if (pgbouncerPort) url.host = `127.0.0.1:${pgbouncerPort}`;
  const drop = () =>
    asAdmin(adminUrl, async (admin) => {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
  const gatewayUrl = new URL(url);
  Object.assign(gatewayUrl, { username: gateway.name, password: gateway.password });
  return { url: url.href, gatewayUrl: gatewayUrl.href, drop };
}

/** The same database for the role that may do everything, if this URL is of the gateway's role. */
export function asAdministrator(databaseUrl: string): string {
  const { adminUrl, gateway } = inject('database');
  const url = new URL(databaseUrl);
  const { username, password } = new URL(adminUrl);
  return url.username === gateway.name ? Object.assign(url, { username, password }).href : databaseUrl;
}

/** A database of one's own without anything in it, reached without PgBouncer. */
export async function createEmptyDatabase(): Promise<{ directUrl: string; drop(): Promise<void> }> {
  const { adminUrl, template } = inject('database');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  const run = (sql: string) => asAdmin(adminUrl, async (admin) => void (await admin.query(sql)));
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = name;
  return { directUrl: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}

async function copyTemplate(admin: pg.Client, template: string, name: string): Promise<void> {
  const version = await admin.query("SELECT current_setting('server_version_num')::int AS number");
  // PostgreSQL 14 knows no other way; from 15 on it is no longer the default, but still the faster one.
  const strategy = version.rows[0].number >= 150_000 ? 'STRATEGY file_copy' : '';
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== TEMPLATE_IN_USE || attempt === 10) throw error;
      await sleep(100);
    }
  }
}

async function asAdmin(url: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
