import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmbedded } from '../../../src/platform/embedded/open.js';
import { ConfigError } from '../../../src/platform/settings/configError.js';
import { readConfig } from '../../../src/settings.js';
import { type Certificates, makeCertificates } from '../../support/certificates.js';
import { goalpost } from '../../support/goalpost.js';
import { startPgbouncer } from '../../support/pgbouncer.js';
import { type Postgres, startPostgres } from '../../support/postgres.js';
import { query } from '../../support/query.js';
import { startServer } from '../../support/server.js';
import { smallWorkspace } from '../../support/smallWorkspace.js';
import { temporaryFolder } from '../../support/temporary.js';
import { restPaths } from '../../support/world.js';

let certificates: Certificates;
/** The parameters of a URL. `authority` and the others stand for the paths of certificates. */
let parameters: (text: string) => string;

beforeAll(async () => {
  certificates = await makeCertificates();
  parameters = (text) =>
    text.replace(/=(\w+\.(?:pem|key|csr))/g, (_, name: string) => `=${encodeURIComponent(certificates.file(name))}`);
});
afterAll(() => certificates?.remove());

const verified = 'sslmode=verify-full&sslrootcert=authority.pem';
const noStack = /Warning|\n {4}at /;

describe('a URL that says of TLS what cannot be', () => {
  const base = 'postgresql://ann:hunter2@127.0.0.1:1/goalpost';
  const noFile = '/etc/goalpost/none.pem';

  test.each([
    ['sslmode=yes', 'has ssl, or an sslmode that is not one of disable, require, verify-ca, verify-full.'],
    ['sslmode=verify-ca', 'cannot be used: SECURITY WARNING: Using sslmode=verify-ca requires specifying a CA'],
    [
      `sslmode=verify-full&sslrootcert=${noFile}`,
      `cannot be used: ENOENT: no such file or directory, open '${noFile}'.`,
    ],
    ['channel_binding=require', 'asks with channel_binding=require for more safety than this program gives'],
    [`sslmode=verify-full&sslcrl=${noFile}`, `asks with sslcrl=${noFile} for more safety than this program gives`],
    ['sslmode=require&sslcert=client.pem&sslkey=server.key', /cannot be used: .*key values mismatch/],
  ])('%s is refused with one message', (text, message) => {
    const problemOf = (name: string, others: NodeJS.ProcessEnv = {}) => {
      const read = () => readConfig({ [name]: `${base}?${parameters(text)}`, ...others });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(message);
      expect(read).toThrow(new RegExp(`Example: ${name}=postgresql://.*sslmode=verify-full`));
      expect(read).not.toThrow('hunter2');
    };
    problemOf('DATABASE_URL');
  });

  test('PGSSLMODE does not count, and is not ignored without a word', () => {
    const values = { DATABASE_URL: base, PGSSLMODE: 'verify-full' };
    expect(() => readConfig(values)).toThrow('needs sslmode itself: PGSSLMODE=verify-full is not read.');
    expect(readConfig({ ...values, PGSSLMODE: 'prefer' }).databaseUrl).toBe(base);
    expect(readConfig({ ...values, DATABASE_URL: `${base}?sslmode=disable` }).databaseUrl).toContain(base);
    expect(readConfig({ PGSSLMODE: 'verify-full' }).databaseUrl).toBeUndefined();
  });

  test('PGSSLMODE does not keep the embedded PostgreSQL from starting', async () => {
    vi.stubEnv('PGSSLMODE', 'require');
    const dataDir = await temporaryFolder();
    const { stop } = await startEmbedded({ dataDir, throwaway: true }).finally(() => vi.unstubAllEnvs());
    await stop();
  });
});

describe('a PostgreSQL that takes only encrypted connections', () => {
  let postgres: Postgres;

  beforeAll(async () => {
    // The test itself, and the start of the server, use the database `postgres`.
    const rules = certificates.write(
      'pg_hba.conf',
      `host postgres all 127.0.0.1/32 scram-sha-256
      hostssl secured all 127.0.0.1/32 scram-sha-256
      hostssl certified all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca`,
    );
    postgres = await startPostgres([...certificates.settings, `hba_file=${rules}`]);
    for (const name of ['secured', 'certified']) await query(postgres.url, `CREATE DATABASE ${name}`);
  });
  afterAll(() => postgres?.stop());

  const urlOf = (database: string, text: string, hostname = 'localhost') =>
    Object.assign(new URL(postgres.url), { hostname, pathname: database, search: parameters(text) }).href;

  test('serves after its first start: migrate, import, token create, check, serve', async () => {
    const DATABASE_URL = urlOf('secured', verified);
    const file = join(await temporaryFolder(), 'workspace.json');
    await writeFile(file, JSON.stringify(smallWorkspace()));
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await goalpost(args, { DATABASE_URL });
      expect({ args, code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringMatching(noStack) });
      return stdout;
    };
    expect(await run('migrate')).toContain('applied ');
    await run('import', file);
    const token = (await run('token', 'create', '--person', 'small-ann', '--name', 'CI', '--write')).trim();
    expect(await run('check')).toMatch(
      /ok {7}the connection to localhost:\d+ is encrypted \(TLSv1\.3, TLS_AES_256_GCM_SHA384\); the certificate of the server is verified$/m,
    );
    const gateway = await startServer({
      DATABASE_URL,
      RATE_LIMIT_STORE: 'postgres',
      FILE_RETENTION_DAYS: '90',
    });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const post = async (path: string, body: unknown) => {
      const response = await fetch(gateway.base + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    expect(await post('/graphql', { query: '{ goal(id: "small-goal") { name } }' })).toEqual({
      status: 200,
      body: { data: { goal: { name: 'Goal' } } },
    });
    expect((await post(restPaths.reopenGoal, { id: 'small-goal' })).status).toBe(200);
    const sessions = `SELECT application_name, bool_and(ssl) AS ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
      WHERE datname = 'secured' GROUP BY 1 ORDER BY 1`;
    expect(await query(postgres.url, sessions)).toEqual([
      { application_name: 'goalpost', ssl: true },
      { application_name: 'goalpost rate limit', ssl: true },
    ]);
    await gateway.stop();
    expect(gateway.log()).toBe('');
  });

  const client = 'sslcert=client.pem&sslkey=client.key';
  const notVerified =
    /note {5}the connection to \S+ is encrypted \(TLSv1\.3, .*; the certificate of the server is not v/;
  const isVerified = /ok {7}the connection to \S+ is encrypted .* certificate of the server is verified/;

  test.each([
    ['require does not look at the certificate', 'secured', 'sslmode=require', '127.0.0.1', notVerified],
    ['direct negotiation', 'secured', `${verified}&sslnegotiation=direct`, 'localhost', isVerified],
    ['a certificate of the client', 'certified', `${verified}&${client}`, 'localhost', isVerified],
  ])('is reached: %s', async (_what, database, text, host, said) => {
    const { code, stdout, stderr } = await goalpost(['check'], { DATABASE_URL: urlOf(database, text, host) });
    expect(stdout).toMatch(said);
    expect(stderr).not.toMatch(noStack);
    expect(code).toBe(database === 'secured' ? 0 : 1); // The others are not migrated.
  });

  test.each([
    [
      'verify-full by another name',
      'secured',
      verified,
      '127.0.0.1',
      "Hostname/IP does not match certificate's altnames",
    ],
    [
      'no certificate of the client',
      'certified',
      verified,
      'localhost',
      'connection requires a valid client certificate',
    ],
  ])('is not reached, which check and serve explain: %s', async (_what, database, text, host, said) => {
    const settings = { DATABASE_URL: urlOf(database, text, host), PORT: '0' };
    const [check, serve] = await Promise.all([goalpost(['check'], settings), goalpost(['serve'], settings)]);
    expect(check.stdout).toContain(said);
    expect(check).toMatchObject({ code: 1, stderr: 'goalpost: 1 problem was found.\n' });
    expect(serve.stderr).toContain(said);
    expect(check.stdout).toContain('. Check DATABASE_URL\n');
    expect(serve.stderr).toMatch(/^goalpost: Cannot connect to database ".+" at .+\n$/);
    expect(serve.code).toBe(1);
  });

  const day = String.raw`\w{3} [ \d]\d [\d:]{8} \d{4} GMT`;
  const shown = String.raw`The server shows CN=localhost \(DNS:localhost\) of CN=authority, valid from ${day} to ${day}; `;
  const has = (name: string) =>
    String.raw`sslrootcert=\S+/${name}\.pem has CN=${name} of CN=${name}, valid from ${day} to ${day}`;

  test.each([
    [
      'another authority',
      'sslmode=verify-full&sslrootcert=other.pem',
      'self-signed certificate in certificate chain',
      has('other'),
    ],
    [
      'no authority',
      'sslmode=verify-full',
      'self-signed certificate in certificate chain',
      'without sslrootcert, the authorities are those of Node.js',
    ],
    [
      'another name',
      verified,
      String.raw`Hostname/IP does not match certificate's altnames: IP: 127\.0\.0\.1 is not in the cert's list:`,
      has('authority'),
    ],
    ['an expired certificate', verified, 'certificate has expired', has('authority')],
  ])(
    'says which certificate the server shows and which authorities were looked at: %s',
    async (what, text, reason, authorities) => {
      if (what === 'an expired certificate') {
        certificates.replace('expired');
        await query(postgres.url, 'SELECT pg_reload_conf()');
      }
      const settings = { DATABASE_URL: urlOf('secured', text, what === 'another name' ? '127.0.0.1' : 'localhost') };
      const [check, migrate] = await Promise.all([goalpost(['check'], settings), goalpost(['migrate'], settings)]);
      certificates.replace('server');
      await query(postgres.url, 'SELECT pg_reload_conf()');
      const said = new RegExp(String.raw`: ${reason}\. ${shown}${authorities}\. Check DATABASE_URL\.?$`, 'm');
      expect(check.stdout).toMatch(said);
      expect(migrate.stderr).toMatch(said);
      expect([check.code, migrate.code]).toEqual([1, 1]);
    },
  );

  test('a certificate that Node was told to let pass is not said to be verified', async () => {
    const DATABASE_URL = urlOf('secured', 'sslmode=verify-full&sslrootcert=other.pem');
    const { stdout } = await goalpost(['check'], { DATABASE_URL, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(stdout).toMatch(notVerified);
  });
});

test('a PostgreSQL without TLS is not reached with sslmode=require, which check explains', async () => {
  const { url, stop } = await startPostgres();
  const { code, stdout } = await goalpost(['check'], { DATABASE_URL: `${url}?sslmode=require` });
  await stop();
  expect(stdout).toContain('The server does not support SSL connections. Check DATABASE_URL');
  expect(code).toBe(1);
});

const isMissing = spawnSync('pgbouncer', ['--version']).error !== undefined;

// Without it the test is skipped; with CI=true it fails.
describe.skipIf(isMissing && process.env.CI !== 'true')('PgBouncer with TLS', () => {
  test('check says when PgBouncer goes on without TLS', async () => {
    const postgres = await startPostgres(certificates.settings);
    onTestFinished(postgres.stop);
    const { cert, key, authority } = certificates.forServer;
    const tls = [
      ...[`client_tls_cert_file=${cert}`, `client_tls_key_file=${key}`, 'client_tls_sslmode=require'],
      ...['server_tls_sslmode=disable', `server_tls_ca_file=${authority}`],
    ];
    const search = parameters('uselibpqcompat=true&sslmode=verify-ca&sslrootcert=authority.pem');
    const pgbouncer = await startPgbouncer(postgres.url, undefined, { tls, search });
    onTestFinished(pgbouncer.stop);
    const at = { host: `localhost:${pgbouncer.port}`, search: parameters(verified) };
    const { href } = Object.assign(new URL(postgres.url), at);
    const { stdout } = await goalpost(['check'], { DATABASE_URL: href, PREPARED_STATEMENTS: 'off' });
    expect(stdout).toMatch(
      /ok {7}the connection to localhost:\d+ is encrypted \(TLSv1\.\d, .*\); the certificate of the server is verified. A pooler or proxy there goes on to PostgreSQL without TLS/,
    );
  });
});
