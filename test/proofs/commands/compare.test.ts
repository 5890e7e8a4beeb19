import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pathOf, textOf } from '../../support/documents.js';
import { goalpost } from '../../support/goalpost.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'goalpost-compare-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function saved(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

describe('goalpost compare', () => {
  test.each(['schema.graphql', 'openapi.json'])('says nothing of %s if it is that of this version', async (file) => {
    expect(await goalpost(['compare', pathOf(file)])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('names each change that breaks clients, and ends with 1; additions pass', async () => {
    const older = await saved('older.graphql', 'type Query { goal(id: ID!): String goals: [String!] }');
    const newer = await saved('newer.graphql', 'type Query { goals: [String!] space(id: ID!): String }');
    expect(await goalpost(['compare', older, newer])).toMatchObject({ code: 1, stdout: 'Query.goal was removed.\n' });
    const added = await saved('added.json', textOf('openapi.json').replace('"/reopen_goal"', '"/reopen"'));
    expect(await goalpost(['compare', pathOf('openapi.json'), added])).toMatchObject({
      code: 1,
      stdout: 'POST /reopen_goal: was removed\n',
    });
  });

  test.each([
    ['a file that does not exist', () => 'nowhere.json', 'nowhere.json cannot be read: ENOENT'],
    ['text that is no schema', () => saved('no.graphql', 'type'), 'is not a GraphQL schema: Syntax Error'],
    ['text that is no JSON', () => saved('no.json', '{'), 'is not an OpenAPI document in JSON'],
    [
      'JSON that is no OpenAPI document',
      () => saved('other.json', '{"paths":{}}'),
      'is not an OpenAPI document in JSON',
    ],
  ])('of %s says what is wrong with it, and ends with 2', async (_, source, message) => {
    const { code, stderr } = await goalpost(['compare', await source()]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  test('of an address that does not respond with 200 says so, and ends with 2', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`;
    const { code, stderr } = await goalpost(['compare', pathOf('openapi.json'), url]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('the response has status 404') });
  });
});
