import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/platform/settings/configError.js';
import { effectiveSettings, readConfig, settingNames } from '../../../src/settings.js';
import { pathOf } from '../../support/documents.js';
import { temporaryFolder } from '../../support/temporary.js';
import type { Json } from '../../support/world.js';

const run = promisify(execFile);

function messageOf(given: NodeJS.ProcessEnv): string {
  try {
    readConfig(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('a setting that cannot be used is named with its value, what is accepted, and an example', () => {
  test.each([
    ['PORT', 'abc', 'must be a whole number from 0 to 65535', '4000'],
    ['DRAIN_SECONDS', '-1', 'must be a number from 0 to 3600', '10'],
    ['HOST', 'http://localhost', 'must be an IP address or a host name alone, without http:// and port', '0.0.0.0'],
    ['PUBLIC_URL', 'api.example.com', 'must be an http:// or https:// address', 'https://api.example.com'],
    ['CORS_ORIGINS', 'x', 'must be a list of origins, each without a path, or *', expect.stringContaining('https://')],
  ])('%s=%s', (name, value, allowed, example) => {
    const [count, line, sample] = messageOf({ [name]: value }).split('\n');
    expect(count).toBe('1 setting cannot be used:');
    expect(line).toBe(`  ${name}=${value} ${allowed}.`);
    expect(sample?.replace(`    Example: ${name}=`, '')).toEqual(example);
  });

  test('all at once', () => {
    const values = {
      PORT: 'abc',
      MCP: 'yes',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'postgresql://db/goalpost',
      PGSSLMODE: 'require',
    };
    const message = messageOf(values);
    expect(message).toMatch(/^4 settings cannot be used:\n {2}PORT=abc .*\n.*\n {2}MCP=yes .*\n.*\n {2}LOG_LEVEL=loud/);
    expect(message).toContain('needs sslmode itself: PGSSLMODE=require is not read.');
  });

  test.each([
    ['postgres://ann:hunter2@hunter2@db', 'postgres://ann:***@db'],
    ['postgres://db?password=hunter2&x=1', 'postgres://db?password=***&x=1'],
    ['postgres://ann:hunter2%40db:5432/x', 'postgres://ann:***'],
    ['postgres://ann:p@hunter2/w#rd@db:5432/x', 'postgres://ann:***@db:5432/x'],
    ['ann:hunter2@db/x', '***'],
  ])('and of DATABASE_URL=%s nobody sees the password', (value, shown) => {
    expect(messageOf({ DATABASE_URL: value })).toContain(`\n  DATABASE_URL=${shown} must be postgresql://`);
  });

  test('on one line, whatever is in it', () => {
    const message = messageOf({ LOG_LEVEL: `a\n\x1b[2J${'b'.repeat(1000)}` });
    expect(message).toContain(`LOG_LEVEL="a\\n\\u001b[2J${'b'.repeat(100)}`);
    expect(message.split('\n')).toHaveLength(3);
  });

  test.each([...settingNames])('and the example of %s is accepted', (name) => {
    const [, example] = /Example: \w+=(.*)/.exec(messageOf({ [name]: '\x00' })) ?? [];
    if (name === 'DATA_DIR') expect(example).toBeUndefined();
    else expect(messageOf({ [name]: example })).not.toContain(`${name}=${example} must`);
  });
});

test.each([['DATABSE_URL', 'DATABASE_URL']])('%s is recognized as a misspelled %s', (name, nearest) => {
  expect(readConfig({ [name]: 'x' }).misspelled).toEqual([{ name, nearest }]);
});

test('variables of other programs are no misspelled settings', () => {
  expect(
    readConfig({ POST: '1', HOSTS: '1', TEST_DATABASE_URL: '1', PGPORT: '1', npm_config_loglevel: '1' }),
  ).toMatchObject({
    misspelled: [],
  });
});

test.each([
  [{}, 'http://127.0.0.1:4000'],
  [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://api.example.com' }, 'https://api.example.com'],
  [{ PUBLIC_URL: 'https://api.example.com', APP_URL: 'https://work.example.com' }, 'https://work.example.com'],
])('with %j, links to documents begin with %s', (values, address) => {
  expect(readConfig(values).appUrl).toBe(address);
});

test('every setting is listed with the value that counts, its source, and no password', () => {
  const key = 'k'.repeat(32);
  const values = { PORT: '8080', DATABASE_URL: 'postgresql://ann:hunter2@db/x', LOG_LEVEL: '', WEBHOOK_KEY: key };
  const listed = effectiveSettings({ values, fromFile: new Set(['PORT']) });
  expect(listed.map(({ name }) => name)).toEqual(settingNames);
  expect(listed).toEqual(
    expect.arrayContaining([
      { name: 'PORT', value: '8080', source: '.env' },
      { name: 'DATABASE_URL', value: 'postgresql://ann:***@db/x', source: 'environment' },
      { name: 'WEBHOOK_KEY', value: '***', source: 'environment' },
      { name: 'LOG_LEVEL', value: 'info', source: 'default' },
      { name: 'MCP', value: 'off', source: 'default' },
      { name: 'PAGES', value: 'start,docs,graphiql,guide,history', source: 'default' },
      { name: 'METRICS_PORT', value: undefined, source: 'default' },
    ]),
  );
});

test('tools are served without a word only in the demo', () => {
  const DATABASE_URL = 'postgresql://ann@db/x';
  const mcp = (values: NodeJS.ProcessEnv) => readConfig(values).mcp;
  expect([mcp({}), mcp({ MCP: 'off' }), mcp({ DATABASE_URL }), mcp({ DATABASE_URL, MCP: 'on' })]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test.each([
  [{ WEBHOOK_KEY: 'short' }, 'WEBHOOK_KEY=*** must be a key of at least 32 characters'],
  [{ WEBHOOK_KEY: ['a', 'b', 'c'].map((letter) => letter.repeat(32)).join() }, 'WEBHOOK_KEY=*** must be a key'],
  [{ WEBHOOK_ALLOW: '10.0.0.0' }, 'WEBHOOK_ALLOW=10.0.0.0 must be a list of address ranges in CIDR notation'],
  [{ WEBHOOK_LOG_DAYS: '0' }, 'WEBHOOK_LOG_DAYS=0 must be a whole number from 1 to 3650'],
])('with %j, nothing starts', (values, message) => {
  expect(() => readConfig(values)).toThrow(message);
});

test('a new key and the old one, and ranges, are read in their order', () => {
  const [fresh, old] = ['f'.repeat(32), 'o'.repeat(40)];
  const { webhookKeys, webhookAllow } = readConfig({
    WEBHOOK_KEY: `${fresh}, ${old}`,
    WEBHOOK_ALLOW: '10.0.0.0/8,fd00::/8',
  });
  expect([webhookKeys, webhookAllow]).toEqual([
    [fresh, old],
    ['10.0.0.0/8', 'fd00::/8'],
  ]);
});

describe('the file .env in the current folder', async () => {
  const folder = await temporaryFolder();
  beforeEach(() => rm(join(folder, '.env'), { recursive: true, force: true }));

  const tsx = import.meta.resolve('tsx');
  const script = `
    const { readConfig } = await import(${JSON.stringify(pathOf('src/settings.ts'))});
    console.log(JSON.stringify(readConfig()));`;

  /** The settings of a process in the folder. */
  async function configIn(environment: Record<string, string>): Promise<Json> {
    const { stdout, stderr } = await run(process.execPath, ['--import', tsx, '--input-type=module', '-e', script], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  test('is read, without a warning of Node', async () => {
    await writeFile(join(folder, '.env'), '# mine\nPORT=8080\nAPP_URL="https://work.example.com"\n');
    expect(await configIn({})).toMatchObject({ port: 8080, appUrl: 'https://work.example.com' });
  });

  test('gives way to the environment, even to an empty variable', async () => {
    await writeFile(join(folder, '.env'), 'PORT=8080\nDATABASE_POOL_SIZE=3\nLOG_LEVEL=warn\n');
    const config = await configIn({ PORT: '9090', LOG_LEVEL: '' });
    expect(config).toMatchObject({ port: 9090, poolSize: 3, logLevel: 'info' });
  });

  test('has no setting that is ignored, because its line is no assignment', async () => {
    await writeFile(
      join(folder, '.env'),
      'MCP = off\r\nexport PORT 4319\r\nDATABASE_URL: postgresql://ann:hunter2@db/x\r\n',
    );
    const failure = await configIn({}).catch(String);
    expect(failure).toMatch(/DATABASE_URL must have the form NAME=value/);
    expect(failure).toMatch(/2 settings cannot be used:\n {2}A line of .env with PORT must have the form/);
    expect(failure).not.toContain('hunter2');
  });

  test('is named where its values cannot be used, or it cannot be read', async () => {
    await writeFile(join(folder, '.env'), 'PORT=abc\n');
    await expect(configIn({})).rejects.toThrow(/PORT=abc \(in \.env\) must be a whole number/);
    await rm(join(folder, '.env'));
    await mkdir(join(folder, '.env'));
    await expect(configIn({})).rejects.toThrow(/The file \.env cannot be read/);
  });
});
