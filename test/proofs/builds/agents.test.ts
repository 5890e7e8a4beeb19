import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { chromium as playwright } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromium, flags } from '../../support/chromium.js';
import { pathOf } from '../../support/documents.js';
import { startServer } from '../../support/server.js';
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

const ownTool = 'calls a tool that the suite expects of a server made for it';
/** Why the others do not apply. */
const others: Record<string, string> = {
  'logging-set-level': 'the server sends no log messages',
  'completion-complete': 'the server completes no arguments',
  'tools-call-simple-text': ownTool,
  'tools-call-image': ownTool,
  'tools-call-audio': ownTool,
  'tools-call-embedded-resource': ownTool,
  'tools-call-mixed-content': ownTool,
  'tools-call-with-logging': ownTool,
  'tools-call-error': ownTool,
  'tools-call-with-progress': ownTool,
  'tools-call-sampling': ownTool,
  'tools-call-elicitation': ownTool,
  'json-schema-2020-12': ownTool,
  'elicitation-sep1034-defaults': ownTool,
  'elicitation-sep1330-enums': ownTool,
  'resources-list': 'the server has no resources',
  'resources-read-text': 'the server has no resources',
  'resources-read-binary': 'the server has no resources',
  'resources-templates-read': 'the server has no resources',
  'resources-subscribe': 'the server has no resources',
  'resources-unsubscribe': 'the server has no resources',
  'prompts-list': 'the server has no prompts',
  'prompts-get-simple': 'the server has no prompts',
  'prompts-get-with-args': 'the server has no prompts',
  'prompts-get-embedded-resource': 'the server has no prompts',
  'prompts-get-with-image': 'the server has no prompts',
};

const directory = pathOf('tools/agents');

describe('the built gateway', () => {
  beforeAll(async () => {
    if (!existsSync(`${directory}/node_modules`)) {
      execFileSync('npm', ['ci', '--prefix', directory, '--no-fund', '--no-audit'], { stdio: 'ignore' });
    }
  }, 300_000);
  /** What a program prints, on a demo of its own: each client restores the same version of the same document. */
  async function ask(program: string, ...args: string[]): Promise<Json> {
    const { base, announced, stop } = await startServer();
    try {
      const { write } = JSON.parse(await readFile(announced.tokens ?? '', 'utf8'));
      const env = { ...process.env, TOKEN: write };
      const file = `${directory}/${program}.mjs`;
      const { stdout } = await promisify(execFile)(process.execPath, [file, `${base}/mcp`, ...args], { env });
      return JSON.parse(stdout);
    } finally {
      await stop();
    }
  }

  function expectRestored(seen: Json, program: string): void {
    expect(seen.server).toMatchObject({ name: 'goalpost' });
    if (seen.version !== undefined) expect(seen.version).toBe(program === 'newest' ? '2026-07-28' : '2025-11-25');
    expect(seen.names).toHaveLength(10);
    expect(seen.document).toMatchObject({ id: 'doc-launch-plan', current_version: 5 });
    expect(seen.preview.structuredContent.preview.would_change).toBe(true);
    expect(seen.restored.structuredContent).toMatchObject({ document: { current_version: 6 }, replayed: false });
    expect(seen.again.structuredContent).toEqual({ ...seen.restored.structuredContent, replayed: true });
    expect(seen.wrong).toMatchObject({ isError: true, structuredContent: { code: 'NOT_FOUND' } });
    expect(JSON.stringify(seen.unknown)).toContain('Unknown tool');
  }

  test.each(['newest', 'before'])('serves the official client: %s', async (program) => {
    expectRestored(await ask(program), program);
  });

  test.skipIf(!chromium).each(['newest', 'before'])(
    'serves the official client in a web page of an origin in CORS_ORIGINS: %s',
    async (program) => {
      const { outputFiles } = await build({
        entryPoints: [`${directory}/${program}.mjs`],
        bundle: true,
        format: 'esm',
        write: false,
        logLevel: 'silent',
      });
      const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script');
      const app = createServer((_request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(`<!doctype html><link rel="icon" href="data:,"><script type="module">${script}</script>`);
      }).listen(0, '127.0.0.1');
      onTestFinished(() => void app.close());
      await once(app, 'listening');
      const origin = `http://app.example.com:${(app.address() as AddressInfo).port}`;
      const { base, announced, stop } = await startServer({ CORS_ORIGINS: origin }, { quiet: true });
      onTestFinished(stop);
      const { write } = JSON.parse(await readFile(announced.tokens ?? '', 'utf8'));
      const own = [
        '--host-resolver-rules=MAP app.example.com 127.0.0.1',
        '--disable-features=LocalNetworkAccessChecks',
      ];
      const browser = await playwright.launch({ executablePath: chromium ?? '', args: [...flags, ...own] });
      onTestFinished(() => browser.close());
      const page = await browser.newPage();
      await page.goto(origin);
      await page.waitForFunction('window.use');
      const seen = await page.evaluate(
        ([address = '', token = '']) => (window as unknown as Json).use(address, token),
        [`${base}/mcp`, write as string],
      );
      expectRestored(seen, program);
    },
  );

  test('lists its tools as the schema of the protocol says, of this version and of those before', async () => {
    expect(await ask('schema')).toEqual({ tools: 10, problems: [] });
  });

  test('passes every scenario of the conformance suite that applies, and it is known why the others do not', async () => {
    const { known, outcomes } = await ask('conformance', ...applicable);
    expect([...applicable, ...Object.keys(others)].sort()).toEqual([...known].sort());
    expect(outcomes).toEqual(Object.fromEntries(applicable.map((scenario) => [scenario, 'passed'])));
  }, 300_000);
});
