import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathOf } from '../../support/documents.js';
import { temporaryServer } from '../../support/temporary.js';
import type { Json } from '../../support/world.js';

/** What of the conformance suite applies to a server that has tools only, and needs no tool of the suite's own. */
const applicable = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

const directory = pathOf('tools/agents');

describe('the built gateway', () => {
  beforeAll(async () => {
    if (!existsSync(`${directory}/node_modules`)) {
      execFileSync('npm', ['ci', '--prefix', directory, '--no-fund', '--no-audit'], { stdio: 'ignore' });
    }
  }, 300_000);
  /** What a program prints, on a demo of its own: each client restores the same version of the same document. */
  async function ask(program: string, ...args: string[]): Promise<Json> {
    const { base, announced } = await temporaryServer();
    const { write } = JSON.parse(await readFile(announced.tokens ?? '', 'utf8'));
    const env = { ...process.env, TOKEN: write };
    const file = `${directory}/${program}.mjs`;
    const { stdout } = await promisify(execFile)(process.execPath, [file, `${base}/mcp`, ...args], { env });
    return JSON.parse(stdout);
  }

  function expectRestored(seen: Json, program: string): void {
    expect(seen.server).toMatchObject({ name: 'goalpost' });
    if (seen.version !== undefined) expect(seen.version).toBe(program === 'newest' ? '2026-07-28' : '2025-11-25');
    expect(seen.names).toHaveLength(12);
    expect(seen.document).toMatchObject({ id: 'doc-launch-plan', current_version: 5 });
    expect(seen.preview.structuredContent.preview.would_change).toBe(true);
    expect(seen.restored.structuredContent).toMatchObject({ document: { current_version: 6 }, replayed: false });
    expect(seen.again.structuredContent).toEqual({ ...seen.restored.structuredContent, replayed: true });
    expect(seen.wrong).toMatchObject({ isError: true, structuredContent: { code: 'NOT_FOUND' } });
    expect(JSON.stringify(seen.unknown)).toContain('Unknown tool');
  }

  /** Every call of a tool ended with a result, which the client has found valid against the schema of the tool. */
  function expectValid({ names, each }: Json): void {
    expect(each.filter(({ threw }: Json) => threw !== undefined)).toEqual([]);
    for (const name of names) {
      const failed = each.filter((call: Json) => call.name === name).map(({ isError }: Json) => isError);
      expect(failed, name).toEqual(expect.arrayContaining([true, false]));
    }
  }

  test.each(['newest', 'before'])('serves the official client: %s', async (program) => {
    const seen = await ask(program);
    expectRestored(seen, program);
    expectValid(seen);
  });

  test('serves the adapters of LangChain', async () => {
    expectValid(await ask('langchain'));
  });

  test('lists its tools as the schema of the protocol says, of this version and of those before', async () => {
    expect(await ask('schema')).toEqual({ tools: 12, problems: [] });
  });

  test('passes every scenario of the conformance suite that applies', async () => {
    const outcomes = await ask('conformance', ...applicable);
    expect(outcomes).toEqual(Object.fromEntries(applicable.map((scenario) => [scenario, 'passed'])));
  }, 300_000);
});
