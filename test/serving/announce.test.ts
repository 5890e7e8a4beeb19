import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { announce, type Started } from '../../src/commands/serve.js';
import { version } from '../../src/version.js';

afterEach(() => vi.unstubAllEnvs());

const base = 'http://127.0.0.1:4000';
const started: Started = { graphql: `${base}/graphql`, rest: `${base}/api/external/v1`, browser: `${base}/`, next: [] };
const demo = { ...started, browser: `${base}/?demo=${'x'.repeat(43)}`, tokens: '.data/demo-tokens.json' };

/** What is written to something like stdout. */
function announced(what: Started, format: 'auto' | 'json' | 'pretty', { isTTY }: { isTTY: boolean }): string {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  const getColorDepth = () => (process.env.NO_COLOR ? 1 : 8);
  announce(what, format, Object.assign(stream, { isTTY, getColorDepth }) as NodeJS.WriteStream);
  return text;
}

describe('a gateway that has started', () => {
  test('says in a terminal what to open, where the tokens are, what to try, and how to stop', () => {
    const text = stripVTControlCharacters(announced(demo, 'auto', { isTTY: true }));
    expect(text).toBe(`
Goalpost ${version} is ready, with a demo workspace.

Open    ${demo.browser}
GraphQL ${base}/graphql
REST    ${base}/api/external/v1
Tokens  .data/demo-tokens.json ("write" and "readOnly")
Try     the requests on that page, or "Make a call" in README.md
Stop    Ctrl-C

`);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
