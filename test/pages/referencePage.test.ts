import { describe, expect, test } from 'vitest';
import { DemoKey } from '../../src/pages/demo.js';
import { textOf } from '../support/documents.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { caller } = await world.team();
const key = new DemoKey();
const demo = { token: caller.token, readOnlyToken: caller.readOnlyToken, key };
const api: Json = JSON.parse(textOf('openapi.json'));
const page = (await world.fetch('/docs')).body.text as string;
const idsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

describe('/docs', () => {
  test('is a page that needs no token', async () => {
    const { status, headers } = await world.fetch('/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('loads from here only, has no inline script or style, and is framed by nobody', async () => {
    const { headers } = await world.fetch('/docs');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(page).not.toMatch(/<style|<script>|\s(on\w+|style)=|(?:src|href)="https?:/);
  });

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

  test('says the type of each field as people do', () => {
    const typeOf = (id: string) => {
      const [, html = ''] = new RegExp(`id="${id}">.*?class="type">(.*?)</span>`, 's').exec(page) ?? [];
      return html.replaceAll(/<[^>]*>/g, '');
    };
    expect([
      typeOf('Goal.inserted_at'),
      typeOf('Goal.archived_at'),
      typeOf('Goal.champion'),
      typeOf('Goal.targets'),
      typeOf('reopenGoal.request.subscriber_ids'),
      typeOf('restoreDocumentVersion.request.version_number'),
    ]).toEqual([
      'time',
      'time or null',
      'Person or null',
      'list of Target',
      'list of strings or null, at most 10,000',
      'integer, at least 1',
    ]);
  });

  test('has an address for each of them, none of which occurs twice, and every link on it leads to one', () => {
    const ids = idsOf(page);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const [, anchor] of page.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(anchor);
  });

  test('has the recorded answer of each operation', () => {
    const { post } = api.paths['/documents/restore_document_version'];
    const { restored_version: version } = post.responses['200'].content['application/json'].example;
    expect(page.replaceAll(/<[^>]*>/g, '')).toContain(version.content);
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

  test('shows each request as a command, as JavaScript, as Python and as GraphQL', () => {
    for (const name of Object.keys(restPaths)) {
      for (const language of ['curl', 'javascript', 'python', 'graphql'])
        expect(page).toContain(`id="${name}-${language}"`);
    }
  });
});

describe('the OpenAPI document', () => {
  test('is also where tools look for it', async () => {
    const { body } = await world.fetch('/api/external/v1/openapi.json');
    expect((await world.fetch('/openapi.json')).body).toEqual(body);
  });

  test.each(['1.1', '1.2'] as const)('is served as YAML too, the same for tools that read YAML %s', async (version) => {
    const { parse } = await import('yaml');
    const { headers, body } = await world.fetch('/openapi.yaml');
    expect(headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(body.text).toMatch(/^openapi: 3\.1\.0\n/);
    expect(parse(body.text, { version })).toEqual((await world.fetch('/openapi.json')).body);
  });
});
