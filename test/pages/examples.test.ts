import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { samplesOf } from '../../src/pages/assets/samples.js';
import { withExamples } from '../../src/pages/operationExamples.js';
import { prepare, storedMutations } from '../../src/rest/routes.js';
import { schema } from '../../src/schema/index.js';
import { createWorld, type Json, restPaths } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
await world.closedGoal(space, { id: 'goal-mine', name: 'Mine' });
const stranger = await world.team();
await world.closedGoal(stranger.space, { id: 'goal-of-another-company' });

const examplesFor = (token: string | null) =>
  world.fetch('/docs/examples', { headers: token ? { authorization: `Bearer ${token}` } : {} });

describe('/docs/examples', () => {
  test('needs a token', async () => {
    expect((await examplesFor(null)).status).toBe(401);
  });

  test.each([
    ['a token', caller.token],
    ['a read-only token', caller.readOnlyToken],
  ])('offers %s what its person may change, and nothing else', async (_what, token) => {
    const { status, body, headers } = await examplesFor(token);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(body.examples)).toEqual(Object.keys(restPaths));
    expect(body.examples.reopenGoal.choices).toMatchObject([{ label: 'Mine', body: { id: 'goal-mine' } }]);
    expect(JSON.stringify(body)).not.toContain('another-company');
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test('offers records on which a call does something, those that show most first', async () => {
    const { company, caller: person, space, hub } = await world.teamWithHub('space');
    const offered = async (token = person.token) => {
      const { examples } = (await examplesFor(token)).body;
      return Object.fromEntries(
        Object.entries<Json>(examples).map(([name, { choices }]) => [
          name,
          choices.map(({ label, body }: Json) => [label, body]),
        ]),
      );
    };
    expect(await offered()).toEqual({
      reopenGoal: [],
      deleteResourceHubFile: [['No file is left', { file_id: null }]],
      restoreDocumentVersion: [],
      recoverResourceHubFile: [['No file is deleted', { file_id: null }]],
    });

    const viewed = { companyLevel: 0, spaceLevel: 10 };
    const message = 'We are not done yet';
    const open = await world.goal(space, { name: 'Open' });
    const reopening = { message, send_notifications_to_everyone: true, subscriber_ids: [] };
    expect((await offered()).reopenGoal).toEqual([['Open (already open)', { id: open.id, ...reopening }]]);
    const reviewer = await world.person(company);
    const closed = await world.closedGoal(space, { name: 'Closed', reviewerId: reviewer.id });
    await world.closedGoal(space, { name: 'Only seen', ...viewed });

    const folder = await world.folder(hub);
    const [near, deep] = [
      await world.file(hub, person, { name: 'Near' }),
      await world.file(hub, person, { name: 'Deep', parentFolderId: folder.id }),
    ];
    const deleted = await world.file(hub, person, { name: 'Deleted', deletedAt: new Date() });
    const document = await world.document(hub, person, ['one', 'two', 'three']);
    const version = (number: number, current: number) => ({
      document_id: document.id,
      version_number: number,
      expected_current_version: current,
    });
    await world.post(restPaths.restoreDocumentVersion, person.token, version(1, 3));
    await world.document(hub, person, ['only one']);
    const two = await world.document(hub, person, ['one', 'two']);
    const seen = await world.hub(company, { goalId: (await world.goal(space, viewed)).id });
    await world.document(seen, person, ['one', 'two']);
    await world.file(seen, person);
    expect(await offered()).toEqual({
      reopenGoal: [['Closed', { id: closed.id, ...reopening, subscriber_ids: [reviewer.id] }]],
      deleteResourceHubFile: [
        ['Deep', { file_id: deep.id }],
        ['Near', { file_id: near.id }],
      ],
      restoreDocumentVersion: [
        ['Title 1: version 2 of 4, “Title 2”', version(2, 4)],
        ['Title 1: version 3 of 4, “Title 3”', version(3, 4)],
        ['Title 1: version 1 of 4', version(1, 4)],
        ['Title 2: version 1 of 2, “Title 1”', { document_id: two.id, version_number: 1, expected_current_version: 2 }],
      ],
      recoverResourceHubFile: [['Deleted', { file_id: deleted.id }]],
    });
  });

  test('asks nothing that the caller could not ask in GraphQL, within its limits', async () => {
    let asked = 0;
    const lookUp = async (query: string) => {
      asked += 1;
      const { status, body } = await world.graphql(caller.token, query);
      expect({ status, errors: body.errors, query }).toEqual({ status: 200, errors: undefined, query });
      return body.data as Json;
    };
    const prepared = storedMutations.map((stored) => prepare(schema, stored));
    for (const { example } of withExamples(schema, prepared)) await example.choices(lookUp);
    expect(asked).toBeGreaterThanOrEqual(storedMutations.length);
  });

  test('has previews that are valid for their example, and write nothing', async () => {
    const { examples } = (await examplesFor(caller.token)).body;
    const { preview, choices } = examples.reopenGoal;
    const { id, message } = choices[0].body;
    const answer = await world.graphql(caller.readOnlyToken, preview, { id, message });
    expect(answer.body.data.preview).toMatchObject({ wouldChange: true, notified: { nodes: expect.any(Array) } });
    const restore = await world.graphql(caller.token, examples.restoreDocumentVersion.preview, {
      documentId: 'none',
      versionNumber: 1,
    });
    expect(restore.body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

const runners = {
  curl: { command: 'sh', options: ['-c'] },
  javascript: { command: process.execPath, options: ['--input-type=module', '-e'] },
  python: { command: 'python3', options: ['-c'] },
};

const run = promisify(execFile);
const hasPython = await run('python3', ['--version']).then(Boolean, () => false);

test.each(['curl', 'javascript', 'python'] as const)('a sample in %s runs as it is', async (language) => {
  if (language === 'python' && !hasPython) return;
  const { examples } = (await examplesFor(caller.token)).body;
  // Values that the languages spell differently, and quotes.
  const request = { ...examples.reopenGoal, body: { ...examples.reopenGoal.body, id: null, message: `It's "true"` } };
  const samples = samplesOf(await world.base(), request, `sample-${language}`);
  expect(samples.every(({ text }) => text.includes('Idempotency-Key'))).toBe(true);
  const { command, options } = runners[language];
  const text = samples.find((sample) => sample.language === language)?.text ?? '';
  const { stdout, stderr } = await run(command, [...options, text], { env: { ...process.env, TOKEN: caller.token } });
  expect(stdout).toMatch(/\{\s*'?"?goal'?"?: ?(null|None)/);
  if (language !== 'curl') expect(stderr).toBe('The request had no id: nothing was changed.\n');
});

test('a sample that is run twice changes something once', async () => {
  const { caller: person, hub } = await world.teamWithHub('space');
  const { id } = await world.file(hub, person);
  const request = { path: restPaths.deleteResourceHubFile, body: { file_id: id }, template: '' };
  const [curl] = samplesOf(await world.base(), request, 'key-1');
  const env = { ...process.env, TOKEN: person.token };
  const send = async () => (await run('sh', ['-c', curl?.text ?? ''], { env })).stdout;
  const first = await send();
  expect(first).toContain(id);
  expect(await send()).toBe(first);
  const { status } = await world.post(restPaths.deleteResourceHubFile, person.token, { file_id: id });
  expect(status).toBe(404);
});
