import { execFile, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { builtMain, commandOutput, goalpost, importFileOf, type Outcome } from '../../support/goalpost.js';
import { query } from '../../support/query.js';
import { smallWorkspace } from '../../support/smallWorkspace.js';
import { temporaryDatabase, temporaryFolder } from '../../support/temporary.js';

const folder = await temporaryFolder();
const settings = { DATABASE_URL: (await temporaryDatabase()).url };
const run = promisify(execFile);
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  // Others may pass through, for the test that runs as one of them.
  await chmod(folder, 0o755);
  await importFileOf(smallWorkspace(), settings);
  await mkdir(at('directory'));
  await writeFile(at('file'), 'nothing');
  await symlink(at('loop'), at('loop'));
});

const exportTo = (file: string) => goalpost(['export', file, '--company', 'small-company'], settings);

/** The lines that a command prints to standard error besides the database that it uses. */
const said = ({ stderr }: Outcome) =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Database: '));

const kinds: [string, () => string, string][] = [
  ['a directory', () => at('directory'), 'illegal operation on a directory'],
  ['a file in no directory', () => at('missing/file'), 'its directory does not exist'],
  ['a file in a file', () => at('file/file'), 'not a directory'],
  ['a name that is too long', () => at('n'.repeat(300)), 'name too long'],
  ['a link to itself', () => at('loop'), 'too many symbolic links encountered'],
  ['a device that is full', () => '/dev/full', 'no space left on device'],
];

describe('goalpost export', () => {
  test.each(kinds)('to %s says so in a line, and leaves nothing', async (_kind, path, problem) => {
    const before = await readdir(folder);
    const outcome = await exportTo(path());
    expect([outcome.code, said(outcome), outcome.stdout]).toEqual([1, [`goalpost: ${path()}: ${problem}`], '']);
    expect(await readdir(folder)).toEqual(before);
  });

  test('writes to a pipe and a device, which stay what they are', async () => {
    await run('mkfifo', [at('pipe')]);
    const [read, outcome] = await Promise.all([text(createReadStream(at('pipe'))), exportTo(at('pipe'))]);
    expect([outcome.code, said(outcome)]).toEqual([0, [`exported 15 records to ${at('pipe')}`]]);
    expect(read).toBe(
      await commandOutput(['export', '--company', 'small-company'], settings).then((out) => `${out}\n`),
    );
    expect((await stat(at('pipe'))).isFIFO()).toBe(true);
    expect((await exportTo('/dev/null')).code).toBe(0);
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  test('replaces a file, and no other beside it; a link stays, and what it leads to is replaced', async () => {
    await writeFile(at('export'), 'old');
    await writeFile(at('export.new'), 'of somebody');
    await symlink(at('export'), at('link'));
    expect((await exportTo(at('link'))).code).toBe(0);
    expect((await stat(at('export'))).mode & 0o777).toBe(0o600);
    expect((await readFile(at('export'), 'utf8')).split('\n').at(-2)).toBe('{"kind":"end","records":15}');
    expect(await readFile(at('export.new'), 'utf8')).toBe('of somebody');
    expect(await readFile(at('link'), 'utf8')).toBe(await readFile(at('export'), 'utf8'));
    const left = (await readdir(folder)).filter((name) => name.startsWith('.'));
    expect(left).toEqual([]);
    await chmod(at('export'), 0o000);
    expect((await exportTo(at('export'))).code).toBe(0);
  });

  test.each(['export --company small-company', 'openapi'])(
    '%s, of which only the first line is read, ends quietly',
    async (command) => {
      const line = `${process.execPath} ${builtMain} ${command} | head -n 1 | wc -l; exit \${PIPESTATUS[0]}`;
      const { stdout, stderr } = await run('bash', ['-c', line], { env: { ...process.env, ...settings } });
      expect(stdout.trim()).toBe('1');
      expect(said({ code: 0, stdout, stderr }).filter((each) => !/^exported \d+ records$/.test(each))).toEqual([]);
    },
  );

  test.each(['export --company small-company', 'openapi'])('%s to a full device says so in a line', async (command) => {
    const line = `${process.execPath} ${builtMain} ${command} > /dev/full`;
    const outcome: Outcome = await run('bash', ['-c', line], { env: { ...process.env, ...settings } }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error) => error,
    );
    expect([outcome.code, said(outcome)]).toEqual([1, ['goalpost: standard output: no space left on device']]);
  });
});

describe('goalpost import', () => {
  test.each([
    ['a directory', () => at('directory'), 'illegal operation on a directory'],
    ['a file that does not exist', () => at('missing'), 'no such file or directory'],
    ['a device with nothing in it', () => '/dev/null', 'is not valid JSON: Unexpected end of JSON input'],
    [
      'a device that does not end',
      () => '/dev/full',
      'is a JSON document of more than 256 MB: write a JSON record in each line instead (NDJSON), of which there may be any number',
    ],
  ])('of %s says so in a line', { timeout: 60_000 }, async (_kind, path, problem) => {
    const outcome = await goalpost(['import', path(), '--update'], settings);
    expect([outcome.code, said(outcome)]).toEqual([1, [`goalpost: Nothing was imported. ${path()}: ${problem}`]]);
  });

  test('reads a pipe', async () => {
    const { companyId: _, ...document } = smallWorkspace('piped') as Record<string, unknown>;
    await run('mkfifo', [at('input')]);
    const writing = spawn('bash', ['-c', `cat > ${at('input')}`]);
    writing.stdin.end(JSON.stringify(document));
    expect((await goalpost(['import', at('input')], settings)).code).toBe(0);
  });
});

describe('a setting', () => {
  test.each([['a file', () => at('file')]])('DATA_DIR with %s is said in a line', async (_kind, path) => {
    for (const args of [['token', 'list'], ['serve'], ['export', '--company', 'x'], ['webhook', 'list']]) {
      const outcome = await goalpost(args, { DATABASE_URL: undefined, DATA_DIR: path(), PORT: '0' });
      const line = expect.stringContaining(path());
      expect([outcome.code === 0, said(outcome)], args.join(' ')).toEqual([false, [line]]);
    }
  });
});

describe('what could control a terminal', () => {
  const name = 'a\u009b31m\u202eb';

  test('is escaped in every line of a command', async () => {
    const document = { company: { id: 'odd', name }, people: [{ id: name, full_name: name, is_owner: true }] };
    await importFileOf(document, settings);
    await query(settings.DATABASE_URL ?? '', `UPDATE people SET full_name = 'changed' WHERE company_id = 'odd'`);
    await writeFile(at('odd.json'), JSON.stringify(document));
    await writeFile(
      at('wrong.json'),
      JSON.stringify({ ...document, goals: [{ id: name, space_id: name, [name]: 1 }] }),
    );
    const outcomes = [
      await goalpost(['import', at('odd.json'), '--update', '--dry-run'], settings),
      await goalpost(['import', at('odd.json'), '--update', '--dry-run', '--json'], settings),
      await goalpost(['import', at('wrong.json'), '--update'], settings),
      await goalpost(['import', at(name)], settings),
      await goalpost(['export', at(`${name}/x`), '--company', 'odd'], settings),
      await goalpost(['token', 'create', '--person', name, '--company', 'odd', '--name', 'x'], settings),
      await goalpost(['token', 'list'], settings),
      await goalpost(['token', 'revoke', name], settings),
      await goalpost(['check'], { ...settings, APPLICATION_ROLE: name }),
      await goalpost(['purge', '--older-than', name], settings),
      await goalpost([name], settings),
    ];
    for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toMatch(/[^\P{C}\n\t]/u);
    const [changed, json] = outcomes;
    expect(changed?.stdout).toContain('a\\u{9b}31m\\u{202e}b');
    expect(JSON.stringify(JSON.parse(json?.stdout ?? ''))).toContain(JSON.stringify(name).slice(1, -1));
  });
});
