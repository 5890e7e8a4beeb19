import { expect, test } from 'vitest';
import { type Plan, plansOf } from '../../support/plans.js';
import { statementsOf } from '../../support/statements.js';
import { perform, surfaces } from '../../support/surfaces.js';
import { createWorld, type Json } from '../../support/world.js';

const world = await createWorld();

/** A text that PostgreSQL stores apart from its row, in about a hundred pages: nothing in it can be compressed. */
const long = () => Array.from({ length: 25_000 }, () => Math.random().toString(36).slice(2)).join(' ');

const { company, space, caller: author } = await world.team();
const stranger = await world.person(company);
const hub = await world.hub(company, { goalId: (await world.goal(space, { companyLevel: 0, spaceLevel: 100 })).id });
const viewable = await world.hub(company, { goalId: (await world.goal(space, { companyLevel: 10 })).id });
const hidden = {
  short: (await world.document(hub, author)).id,
  long: (await world.document(hub, author, [long(), long(), 'three', long()])).id,
};
const readable = {
  short: (await world.document(viewable, author)).id,
  long: (await world.document(viewable, author, [long(), long(), 'three', long()])).id,
};
await world.sql('VACUUM ANALYZE');

const preview = `query ($id: ID!) { previewRestoreDocumentVersion(input: { documentId: $id, versionNumber: 1 }) {
  contentBefore contentAfter difference { content { changes { text } } } } }`;
const lookUp = `query ($id: ID!) { resourceHubDocument(id: $id) {
  content versions(first: 10) { nodes { content } } } }`;

const ask = (document: string) => async (token: string, id: string) => {
  const { body } = await world.graphql(token, document, { id });
  return body.errors?.[0].extensions.code;
};
const restore = (surface: (typeof surfaces)[number]) => async (token: string, documentId: string) => {
  const input = { documentId, versionNumber: 1, expectedCurrentVersion: 3 };
  return (await perform(world, surface, 'restoreDocumentVersion', token, input)).code;
};

const requests: [string, (token: string, id: string) => Promise<Json>][] = [
  ['a preview of restoring', ask(preview)],
  ['a look-up', ask(lookUp)],
  ...surfaces.map((surface): (typeof requests)[number] => [`restoring through ${surface}`, restore(surface)]),
];

/** The code of the answer and what PostgreSQL reads for it, after the token. */
async function costOf(request: (typeof requests)[number][1], id: string) {
  await world.graphql(stranger.token, '{ viewer { person { id } } }');
  const { result: code, statements } = await statementsOf(() => request(stranger.token, id));
  const plans = await plansOf(world.url, statements);
  const pages = plans.reduce((sum: number, plan: Plan) => sum + plan.pages, 0);
  return { code, statements: statements.length, pages };
}

test.each(requests)('%s reads of a long hidden document what it reads of a short one', async (_, request) => {
  const [unknown, short, longer] = [
    await costOf(request, 'nobody-knows'),
    await costOf(request, hidden.short),
    await costOf(request, hidden.long),
  ];
  expect(unknown.code).toBe('NOT_FOUND');
  expect(longer).toEqual(short);
  expect(short).toMatchObject({ code: 'NOT_FOUND', statements: unknown.statements });
  // What is left is the look at the caller's access.
  expect(short.pages - unknown.pages).toBeLessThan(100);
});

test.each(requests.filter(([what]) => what !== 'a look-up'))(
  '%s reads nothing long of a document that the caller may only view',
  async (_, request) => {
    const [short, longer] = [await costOf(request, readable.short), await costOf(request, readable.long)];
    expect(short.code).toBe('FORBIDDEN');
    expect(longer).toEqual(short);
  },
);
