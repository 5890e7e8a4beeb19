import { describe, expect, test } from 'vitest';
import { DemoKey } from '../../src/pages/demo.js';
import { textOf } from '../support/documents.js';
import { createWorld, type Json, World } from '../support/world.js';

const world = await createWorld();
const { caller } = await world.team();
const key = new DemoKey();
const demo = { token: caller.token, readOnlyToken: caller.readOnlyToken, key };
const api: Json = JSON.parse(textOf('openapi.json'));
const page = (await world.fetch('/docs')).body.text as string;
const idsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

describe('/docs', () => {
  test('shows every path, field, problem, record and header of the OpenAPI document', () => {
    const ids = idsOf(page);
    for (const [path, { post }] of Object.entries<Json>(api.paths)) {
      expect(page).toContain(`<span class="badge">POST</span> <code>/api/external/v1${path}</code>`);
      const { $ref } = post.requestBody.content['application/json'].schema;
      const input = api.components.schemas[$ref.split('/').at(-1)];
      for (const name of Object.keys(input.properties)) expect(ids).toContain(`${post.operationId}.request.${name}`);
      expect(ids).toContain(`${post.operationId}.problems`);
    }
    for (const [name, { properties = {} }] of Object.entries<Json>(api.components.schemas)) {
      if (/(Input|Payload|Problem)$|^Event$/.test(name)) continue;
      expect(ids).toContain(name);
      for (const field of Object.keys(properties)) expect(ids).toContain(`${name}.${field}`);
    }
    for (const code of Object.keys(api.components.examples)) expect(page).toContain(`<a href="/errors/${code}">`);
    for (const name of Object.keys(api.components.headers)) expect(page).toContain(`<code>${name}</code>`);
  });

  test('has an address for each of them, none of which occurs twice, and every link on it leads to one', () => {
    const ids = idsOf(page);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const [, anchor] of page.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(anchor);
  });

  test('has the tokens and the ids of the demo for who opened its start address, and for nobody else', async () => {
    const own = new World(world.db, world.url, { demo });
    const opened = await own.fetchAt(key.addressAt('http://localhost:4000'));
    const cookie = opened.headers.get('set-cookie') ?? '';
    const at = async (origin: string, headers = {}) => (await own.fetchAt(`${origin}/docs`, { headers })).text();
    const mine = await at('http://localhost:4000', { cookie });
    expect(mine).toContain(`"token":"${caller.token}"`);
    expect(mine).toContain(caller.readOnlyToken);
    for (const others of [await at('http://localhost:4000'), await at('https://goals.example.com', { cookie })]) {
      expect(others).toContain('"token":null');
      expect(others).not.toContain(caller.token);
      expect(others).not.toContain(caller.readOnlyToken);
    }
  });
});

describe('the OpenAPI document', () => {
  test('is also where tools look for it', async () => {
    const { body } = await world.fetch('/api/external/v1/openapi.json');
    expect((await world.fetch('/openapi.json')).body).toEqual(body);
  });

  test('is served as YAML too, the same also for tools that read YAML 1.1', async () => {
    const { parse } = await import('yaml');
    const { headers, body } = await world.fetch('/openapi.yaml');
    expect(headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(body.text).toMatch(/^openapi: 3\.1\.0\n/);
    expect(parse(body.text, { version: '1.1' })).toEqual((await world.fetch('/openapi.json')).body);
  });
});
