import { describe, expect, test } from 'vitest';
import { DemoKey } from '../src/pages/demoKey.js';
import { createWorld, World } from './support/world.js';

const world = await createWorld();
const { caller } = await world.team();
const key = new DemoKey();
const demo = { token: caller.token, key };
const files = ['/docs/swagger-ui.js', '/docs/swagger-ui.css', '/docs/page.js', '/docs/page.css'];

describe('/docs', () => {
  test('is a page that needs no token', async () => {
    const { status, headers, body } = await world.fetch('/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const file of files) expect(body.text).toContain(`"${file}"`);
  });

  test('loads from here only, has no inline script or style, and is framed by nobody', async () => {
    const { headers, body } = await world.fetch('/docs');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(body.text).not.toMatch(/https?:|<style|<script>|\son\w+=/);
  });

  test.each(files)('%s is our own file, kept by browsers and asked for again only by its tag', async (file) => {
    const { status, headers, body } = await world.fetch(file);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe(`text/${file.endsWith('js') ? 'javascript' : 'css'}; charset=utf-8`);
    expect(headers.get('cache-control')).toContain('public');
    expect(body.text.length).toBeGreaterThan(10);
    const etag = headers.get('etag') ?? '';
    expect((await world.fetch(file, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('reads the OpenAPI document of this server, and asks no validator', async () => {
    const { body } = await world.fetch('/docs/page.js');
    expect(body.text).toContain('validatorUrl: null');
    expect((await world.fetch('/docs')).body.text).toContain('"url":"/api/external/v1/openapi.json"');
  });

  test('has the token and the ids of the demo for who opened its start address, and for nobody else', async () => {
    const own = new World(world.db, world.url, { demo });
    const opened = await own.app.fetch(key.addressAt('http://localhost:4000'));
    const cookie = opened.headers.get('set-cookie') ?? '';
    const at = async (origin: string, headers = {}) => (await own.app.fetch(`${origin}/docs`, { headers })).text();
    expect(await at('http://localhost:4000', { cookie })).toMatch(
      new RegExp(`"token":"${caller.token}",.*{"file_id":null}`),
    );
    expect(await at('http://localhost:4000')).toContain('"token":null,"requests":[]}');
    expect(await at('https://goals.example.com', { cookie })).toContain('"token":null,"requests":[]}');
  });

  test('nothing else of Swagger UI is served', async () => {
    expect((await world.fetch('/docs/swagger-ui.js.map')).status).toBe(404);
    expect((await world.fetch('/docs/package.json')).status).toBe(404);
  });
});
