import { describe, expect, test } from 'vitest';
import { DemoKey } from '../../src/pages/demoAccess.js';
import { textOf } from '../support/documents.js';
import { createWorld, type Json, World } from '../support/world.js';

const world = await createWorld();
const { caller } = await world.team();
const key = new DemoKey();
const demo = { token: caller.token, key };
const api: Json = JSON.parse(textOf('openapi.json'));
const page = (await world.fetch('/docs')).body.text as string;
const idsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

/** What the command of a page sends to an address. */
function settingsOfCurl(text: string, url: string): Json {
  const plain = text
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");
  const [, body = ''] = plain.split(`curl -sS ${url} `)[1]?.match(/-d '(.*?)'\n/s) ?? [];
  return { body: JSON.parse(body) };
}

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

  test('has of each operation a command with placeholders and the recorded example, and no token', async () => {
    const own = new World(world.db, world.url, { demo });
    const opened = await own.fetchAt(key.addressAt('http://localhost:4000'));
    const headers = { cookie: opened.headers.get('set-cookie') ?? '' };
    const text = await (await own.fetchAt('http://localhost:4000/docs', { headers })).text();
    expect(text).not.toContain(caller.token);
    for (const [path, placeholders] of Object.entries({
      '/reopen_goal': { id: 'GOAL_ID' },
      '/delete_resource_hub_file': { file_id: 'FILE_ID' },
      '/documents/restore_document_version': {
        document_id: 'DOCUMENT_ID',
        version_number: 1,
        expected_current_version: 1,
      },
      '/recover_resource_hub_file': { file_id: 'FILE_ID' },
      '/undo_change': { activity_id: 'ACTIVITY_ID' },
    })) {
      const { body } = settingsOfCurl(text, `http://localhost:4000/api/external/v1${path}`);
      expect(body).toEqual(placeholders);
    }
    for (const what of ['Example request', 'Example response'])
      expect(text.match(new RegExp(`aria-label="${what}: `, 'g'))).toHaveLength(Object.keys(api.paths).length);
  });
});

describe('the OpenAPI document', () => {
  test('is also where tools look for it', async () => {
    const { body } = await world.fetch('/api/external/v1/openapi.json');
    expect((await world.fetch('/openapi.json')).body).toEqual(body);
  });
});
