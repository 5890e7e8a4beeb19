import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from 'vitest';
import { Restorer } from '../../../tools/faults/restorer.js';
import { blocksOf, textOf } from '../../support/documents.js';
import { builtMain, goalpost } from '../../support/goalpost.js';
import { openStream } from '../../support/openStream.js';
import { createRestorables } from '../../support/restorables.js';
import { temporaryDatabase, temporaryFolder } from '../../support/temporary.js';

const has = (...command: string[]) => spawnSync(command[0] ?? '', command.slice(1)).status === 0;
const hasSystemd = has('systemd-analyze', '--version');
const hasStrace = has('strace', '-D', '-o', '/dev/null', 'true');
const isRequired = process.env.CI === 'true';

const [documented = ''] = blocksOf(textOf('docs/deploying.md'), 'systemd');
const unit = documented
  .replace('/usr/bin/node', process.execPath)
  .replace('/opt/goalpost/node_modules/goalpost/dist/main.js', builtMain);
const valuesOf = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
const analyze = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, '--no-pager'], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

/** The system calls of a group of systemd's, such as `@system-service`. */
function callsOf(group: string): string[] {
  const lines = execFileSync('systemd-analyze', ['syscall-filter', group], { encoding: 'utf8' }).split('\n').slice(1);
  const names = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return names.flatMap((name) => (name.startsWith('@') ? callsOf(name) : [name]));
}

const callsOfAll = (groups: string) => groups.split(' ').flatMap(callsOf);

describe('the unit of docs/deploying.md', async () => {
  const [folder, database] = [await temporaryFolder(), await temporaryDatabase()];
  beforeAll(() => writeFile(join(folder, 'goalpost@4001.service'), unit));

  test('has no mistake that systemd finds, and little that an attacker could use', ({ skip }) => {
    skip(!hasSystemd && !isRequired, 'systemd-analyze is not installed');
    const file = join(folder, 'goalpost@4001.service');
    expect(analyze('verify', '--man=no', file)).toEqual({ status: 0, stdout: '', stderr: '' });
    const [, exposure] = /exposure level for \S+ (\S+)/.exec(analyze('security', '--offline=yes', file).stdout) ?? [];
    expect(Number(exposure)).toBeLessThan(2);
  });

  test('gives a gateway the time to stop, and does not restart one with a setting that cannot be used', async () => {
    const [env = ''] = blocksOf(textOf('docs/deploying.md'), 'ini');
    const delay = Number(/^DRAIN_DELAY_SECONDS=(\d+)$/m.exec(env)?.[1]);
    const drain = Number(/^\| `DRAIN_SECONDS` \| `(\d+)`/m.exec(textOf('docs/settings.md'))?.[1]);
    // PostgreSQL that hangs may take 2 seconds more.
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(delay + drain + 2);
    const { code } = await goalpost(['serve'], { DATABASE_URL: database.url, PORT: 'no number' });
    expect(valuesOf('RestartPreventExitStatus')).toEqual([String(code)]);
  });

  test('starts a gateway, and allows all its system calls', async ({ skip }) => {
    skip(!(hasStrace && hasSystemd) && !isRequired, 'strace or systemd-analyze is not installed');
    const settings = {
      DATABASE_URL: database.gatewayUrl,
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
    };
    const { token, documents } = await createRestorables(settings, 1);
    const trace = join(folder, 'trace');
    const [command = ''] = valuesOf('ExecStart');
    // -D: the gateway is our child, and strace its.
    const child = spawn('strace', ['-D', '-f', '-qq', '-o', trace, ...command.split(' ')], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = await once(createInterface(child.stdout), 'line');
    const { origin } = new URL(JSON.parse(line).graphql);
    const stream = await openStream(origin, token);
    const restorers = documents.map((document) => new Restorer(origin, token, document));
    const running = restorers.map((restorer) => restorer.run());
    expect(await stream.events(1)).toMatchObject([{ type: 'DOCUMENT_VERSION_RESTORED' }]);
    for (const restorer of restorers) restorer.stop();
    await Promise.all(running);
    stream.close();
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    const lines = (await readFile(trace, 'utf8')).split('\n');
    const made = new Set(lines.flatMap((text) => /^\d+ +(\w+)\(/.exec(text)?.[1] ?? []));
    expect(made.size).toBeGreaterThan(50);
    const filters = valuesOf('SystemCallFilter');
    const allowed = new Set(filters.filter((value) => !value.startsWith('~')).flatMap(callsOfAll));
    for (const value of filters.filter((value) => value.startsWith('~')))
      for (const name of callsOfAll(value.slice(1))) allowed.delete(name);
    expect([...made].filter((name) => !allowed.has(name))).toEqual([]);
  });
});
