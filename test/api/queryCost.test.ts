import { getIntrospectionQuery, print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { preparedMutations } from '../../src/rest/routes.js';
import { schema } from '../../src/schema.js';
import { statementsOf } from '../support/statements.js';
import { createWorld, type Json, restPaths, World } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const accept = { accept: 'application/graphql-response+json' };
const report = { 'graphql-cost': 'report' };
const ask = (query: string, variables: Json = {}) => world.graphql(caller.token, query, variables, report);

/** Nested `parentGoal`s: field levels from `goal` down to `id`. */
const nested = (levels: number) =>
  `{ goal(id: "g") ${'{ parentGoal '.repeat(levels - 2)}{ id ${'}'.repeat(levels - 1)} }`;
const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

const repeated = (field: string, count: number) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
const aliased = (count: number) => `{ ${repeated('viewer { person { id } }', count)} }`;
const mutations = (count: number) => `mutation { ${repeated('reopenGoal(input: {}) { goal { id } }', count)} }`;

const objectsIn = (value: Json): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce((sum: number, part) => sum + objectsIn(part), Array.isArray(value) ? 0 : 1);

const limits = { complexity: 10_000, depth: 15, aliases: 30 };

describe('every GraphQL answer reports its cost and the limits to a client that asks', () => {
  test('a query, in objects it may load', async () => {
    const goal = await world.goal(space);
    const { body } = await ask('query ($id: ID!) { goal(id: $id) { id name targets { id } champion { id } } }', {
      id: goal.id,
    });
    // goal 1, targets 10 × 1, champion 1
    expect(body.extensions.cost).toEqual({ complexity: 12, depth: 3, aliases: 0, limits });
  });

  test.each([
    ['a mutation', 'mutation { reopenGoal(input: {}) { goal { id } } }', 200, { complexity: 2, depth: 3, aliases: 0 }],
    ['a syntax error', '{', 400, { complexity: 0, depth: 0, aliases: 0 }],
  ])('%s', async (_what, query, status, cost) => {
    const answer = await ask(query);
    expect([answer.status, answer.body.extensions.cost]).toEqual([status, { ...cost, limits }]);
  });

  test('but not a request that is refused before it is read', async () => {
    const { status, body } = await world.graphql(null, '{ viewer { person { id } } }', {}, report);
    expect([status, 'extensions' in body]).toEqual([401, false]);
  });
});

describe('a document over a limit is refused before any SQL', () => {
  test.each<[string, string, Json[]]>([
    ['depth', nested(16), [{ limit: 'depth', actual: 16, maximum: 15 }]],
    ['aliases', aliased(31), [{ limit: 'aliases', actual: 31, maximum: 30 }]],
    ['mutations', mutations(11), [{ limit: 'mutations', actual: 11, maximum: 10 }]],
    [
      'complexity',
      `{ ${'...G '.repeat(477)} } fragment G on Query { goal(id: "g") { projects { champion { id } } } }`,
      [
        {
          limit: 'complexity',
          actual: 10_017,
          maximum: 10_000,
          costliest: { path: 'goal.projects', complexity: 4770, pages: [] },
        },
      ],
    ],
    [
      'definitions',
      Array.from({ length: 101 }, (_, n) => `query O${n} { viewer { person { id } } }`).join(' '),
      [
        { limit: 'definitions', actual: 101, maximum: 100 },
        { limit: 'repetitions', actual: 101, maximum: 100 },
      ],
    ],
    [
      'repetitions, of a field with arguments',
      `{ ${'goal(id: "g") { id } '.repeat(101)} }`,
      [{ limit: 'repetitions', actual: 101, maximum: 100 }],
    ],
    ['tokens', `{ ${'viewer { person { id } } '.repeat(600)} }`, [{ limit: 'tokens', maximum: 4000 }]],
    [
      'aliases, multiplied by fragments',
      `{ ...F0 } ${Array.from({ length: 30 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ... { ...F${n + 1} } }`).join(' ')}
       fragment F30 on Query { a: viewer { person { id } } }`,
      [
        {
          limit: 'complexity',
          actual: 2 ** 31,
          maximum: 10_000,
          costliest: { path: 'a', complexity: 2 ** 30, pages: [] },
        },
        { limit: 'aliases', actual: 2 ** 30, maximum: 30 },
      ],
    ],
  ])('%s', async (_limit, query, exceeded) => {
    const { statements, result: answer } = await statementsOf(() => ask(query));
    const [{ message, extensions }] = answer.body.errors;
    expect([answer.status, extensions.code]).toEqual([400, 'QUERY_TOO_COMPLEX']);
    expect(extensions.exceeded).toEqual(exceeded);
    for (const { limit, maximum } of extensions.exceeded)
      expect(message).toMatch(new RegExp(`${limit} \\(.*${maximum}\\)`));
    expect(statements.filter(({ text }) => !text.includes('api_tokens'))).toEqual([]);
  });

  test.each([
    [
      'by itself, which is to be left out',
      `{ ${repeated('goal(id: "g") { potentialSubscribers { role } }', 5)} }`,
      'a0.potentialSubscribers (2010): leave it out, or ask for it in a request of its own.',
    ],
    [
      'that is deeper than is allowed, which is not repeated',
      nested(20).replace('{ id', `{ id ${repeated('potentialSubscribers { role }', 5)} `),
      undefined,
    ],
  ])('and the message names the field that costs the most: %s', async (_what, query, remedy) => {
    const { body } = await ask(query);
    const [, named] = body.errors[0].message.split('The field that costs the most is ');
    expect(named).toBe(remedy);
  });

  test('if it is the operation to run: others in the document cost nothing', async () => {
    const query = `query Run { viewer { person { id } } } query Other ${aliased(31)}`;
    const run = (operationName: string) => world.post('/graphql', caller.token, { query, operationName }, accept);
    expect((await run('Run')).status).toBe(200);
    const { status, body } = await run('Other');
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'QUERY_TOO_COMPLEX']);
  });
});

describe('what would exhaust the parser or the validator is refused, not 500', () => {
  test.each([
    ['a selection 20,000 levels deep', deep('{a', '}', 20_000)],
    ['a list 20,000 levels deep', `{ goal(id: ${deep('[', ']', 20_000)}) { id } }`],
    [
      'an object 1,300 levels deep',
      `mutation { reopenGoal(input: ${deep('{id:', '}', 1_300).replace(':}', ':1}')}) { goal { id } } }`,
    ],
    ['a type 20,000 levels deep', `query ($a: ${deep('[', ']', 20_000)}) { __typename }`],
    [
      'fragments that go round',
      '{ ...A } fragment A on Query { viewer { person { id } } ...B } fragment B on Query { ...A }',
    ],
    [
      'introspection that goes round',
      `{ __schema { types ${'{ fields { type '.repeat(20)}{ name }${' } }'.repeat(20)} } }`,
    ],
  ])('%s', async (_what, query) => {
    const { statements, result: answer } = await statementsOf(() => ask(query));
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].extensions.code).not.toBe('INTERNAL_SERVER_ERROR');
    expect(statements.filter(({ text }) => !text.includes('api_tokens'))).toEqual([]);
  });
});

test('a name of more than 200 characters is refused, and the answer does not repeat it', async () => {
  const named = (length: number) => `{ viewer { ${'x'.repeat(length)}: person { id } } }`;
  expect(await ask(named(200))).toMatchObject({ status: 200, body: { data: { viewer: {} } } });
  expect(await ask(named(201))).toMatchObject({
    status: 400,
    body: {
      errors: [
        {
          message: 'A name has more than 200 characters.',
          locations: [{ line: 1, column: 12 }],
          extensions: { code: 'BAD_REQUEST' },
        },
      ],
    },
  });
});

describe('an introspection costs the objects that the schema has for it', () => {
  const everything = getIntrospectionQuery({
    descriptions: true,
    inputValueDeprecation: true,
    oneOf: true,
    schemaDescription: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
  });
  const metaTypes = ['Schema', 'Type', 'Field', 'InputValue', 'Directive', 'EnumValue'];

  test.each([
    ['of graphql-js, GraphiQL, codegen and Relay', everything, 2],
    ['of the first versions of GraphQL', getIntrospectionQuery({ descriptions: false }), 2],
    [
      'of gql.tada',
      `query IntrospectSupportQuery { directive: __type(name: "__Directive") { fields { name args { name } } }
        field: __type(name: "__Field") { fields { name args { name } } }
        type: __type(name: "__Type") { fields { name } } inputValue: __type(name: "__InputValue") { fields { name } } }`,
      1,
    ],
    [
      'of Apollo Kotlin',
      `query PreIntrospectionQuery { ${metaTypes
        .map((name) => `${name}: __type(name: "__${name}") { fields { name args(includeDeprecated: true) { name } } }`)
        .join(' ')} }`,
      1,
    ],
    [
      'of Apollo and urql, which ask with each query',
      '{ __typename viewer { __typename person { __typename id } } }',
      1,
    ],
    ['that nests deeply', `{ __schema { types ${'{ ofType '.repeat(30)}{ name }${' }'.repeat(30)} } }`, 1],
  ])('%s', async (_of, query, points) => {
    const { status, body } = await ask(query);
    const { complexity, depth } = body.extensions.cost;
    expect([status, body.errors, Math.ceil(complexity / 3_000) <= points]).toEqual([200, undefined, true]);
    if (query.includes('__schema') || query.includes('__type('))
      expect([complexity, depth]).toEqual([objectsIn(body.data) - 1, 0]);
  });

  test('of a type that a variable names', async () => {
    const query = 'query ($name: String!) { __type(name: $name) { fields { name } } }';
    for (const name of ['Goal', 'Person', 'Nothing', 'Goal']) {
      const { body } = await ask(query, { name });
      expect(body.extensions.cost.complexity).toBe(objectsIn(body.data) - 1);
    }
  });

  const fragment = (count: number, fields: string) =>
    `{ ${repeated('__schema { ...S }', count)} } fragment S on __Schema { types { ${fields} } }`;

  test.each([
    ['many aliases', fragment(28, 'fields { type { fields { args { type { name } } } } }'), 'a0'],
    [
      'many repetitions',
      `{ __schema { types { ${'fields { args { name } type { ofType { name } } } '.repeat(50)} } } }`,
      '__schema',
    ],
    [
      'fragments that multiply each other',
      `{ __schema { types { ...F0 } } } ${Array.from({ length: 40 }, (_, n) => `fragment F${n} on __Type { fields { type { ...F${n + 1} } } ofType { ...F${n + 1} } }`).join(' ')}
       fragment F40 on __Type { name }`,
      '__schema',
    ],
  ])('and is refused over the limit, with %s', async (_what, query, path) => {
    const { status, body } = await ask(query);
    const [{ extensions }] = body.errors;
    expect([status, extensions.code]).toEqual([400, 'QUERY_TOO_COMPLEX']);
    expect(extensions.exceeded).toMatchObject([{ limit: 'complexity', maximum: 10_000, costliest: { path } }]);
  });

  test('its aliases count as any other', async () => {
    const { body } = await ask('{ __schema { a: queryType { name } b: queryType { name } } }');
    expect(body.extensions.cost).toMatchObject({ complexity: 3, aliases: 2 });
  });
});

test('what REST shows is well within the limits when asked in GraphQL, and REST itself is exempt', async () => {
  for (const { document } of preparedMutations(schema)) {
    const { body } = await ask(print(document), { input: {} });
    expect(body.errors?.[0].extensions.code).not.toBe('QUERY_TOO_COMPLEX');
    expect(body.extensions.cost.complexity).toBeLessThan(3_000);
  }
  const strict = new World(world.db, world.url, { queryLimits: { complexity: 1, depth: 1, tokens: 12 } });
  const { status, body } = await strict.post(restPaths.reopenGoal, caller.token, {});
  expect([status, body]).toEqual([200, { goal: null }]);
  const refused = await strict.graphql(caller.token, '{ viewer { person { id } } }');
  expect(refused.body.errors[0].extensions.exceeded).toEqual([
    { limit: 'complexity', actual: 2, maximum: 1 },
    { limit: 'depth', actual: 3, maximum: 1 },
  ]);
});

describe('a field is weighed by what it may read:', () => {
  test.each<[string, string, number, Json?]>([
    ['a page without a size, 20', '{ goals { nodes { id } } }', 1 + 20],
    ['a page of a size', '{ goals(first: 50) { nodes { id } } }', 1 + 50],
    ['a page from behind', '{ goals(last: 5) { nodes { id } } }', 1 + 5],
    ['a page of the size in a variable', 'query ($n: Int) { goals(first: $n) { nodes { id } } }', 1 + 7, { n: 7 }],
    ["a page of a variable's default", 'query ($n: Int = 9) { goals(first: $n) { nodes { id } } }', 1 + 9],
    ['nodes in edges', '{ goals(first: 3) { edges { cursor node { id } } pageInfo { hasNextPage } } }', 1 + 3 * 2 + 1],
    [
      'edges in a fragment',
      '{ goals(first: 3) { ...G } } fragment G on GoalConnection { edges { node { id } } }',
      1 + 3 * 2,
    ],
    ['a list in a node, 10', '{ goals(first: 3) { nodes { targets { id } } } }', 1 + 3 * (1 + 10)],
    [
      'a page in a page',
      '{ goals(first: 3) { nodes { activities(first: 4) { nodes { id } } } } }',
      1 + 3 * (1 + 1 + 4),
    ],
    ['the number of all items, 100', '{ goals { totalCount } }', 101],
    ['a text that is looked for, 250', '{ goals(filter: { text: "abc", isClosed: true }) { totalCount } }', 351],
    ['a text that is looked for in all hubs', '{ resourceHubNodes(text: "abc") { totalCount } }', 351],
    ['all that is unread, 400', '{ goal(id: "g") { notifications { id } } }', 411],
    ['what is in a folder, 2', '{ resourceHubFolder(id: "f") { name childrenCount } }', 3],
    ['the folders above a file, 20', '{ resourceHubFile(id: "f") { pathToFile { id } } }', 31],
  ])('%s', async (_what, query, complexity, variables) => {
    const { body } = await ask(query, variables);
    expect(body.extensions.cost.complexity).toBe(complexity);
  });
});

describe('lists with too many items in all', async () => {
  const wide = new World(world.db, world.url, { queryLimits: { complexity: 1_000_000, aliases: 100 } });
  const own = await wide.team();
  const members = await wide.crowd(own.company, 1200);
  const large = await wide.space(own.company, [own.caller, ...members.map((id) => ({ id }))]);
  for (let index = 0; index < 4; index += 1) await wide.goal(large);
  const fields = repeated('potentialSubscribers { role }', 10);
  const ofGoals = (count: number) =>
    wide.graphql(own.caller.token, `{ goals(first: ${count}) { nodes { ${fields} } } }`);

  test('are refused while they are read', async () => {
    const { body } = await ofGoals(4);
    expect(body.data).toBeNull();
    expect(body.errors[0].extensions).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      exceeded: [{ limit: 'items', maximum: 25_000 }],
    });
  });

  test('and not when they have fewer', async () => {
    const { status, body } = await ofGoals(2);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(body.data.goals.nodes[1].a9.length).toBeGreaterThan(1200);
  });

  describe('in the response to a change', () => {
    const reopening = (id: string, name: string, count: number) => {
      const lists = repeated('potentialSubscribers { role }', count);
      return `${name}: reopenGoal(input: { id: "${id}" }) { goal { isClosed ${lists} } }`;
    };
    const change = (fields: string, headers: Record<string, string> = {}) =>
      wide.graphql(own.caller.token, `mutation { ${fields} }`, {}, headers);
    const closed = async () => wide.closedGoal(large);
    const left = async (...ids: string[]) => ({
      open: await wide.db.goal.count({ where: { id: { in: ids }, closedAt: null } }),
      activities: await wide.db.activity.count({ where: { goalId: { in: ids } } }),
      keys: await wide.db.idempotencyKey.count({ where: own.company }),
    });
    const tooLong = (limit: string, maximum: number) => ({
      status: 400,
      body: {
        data: null,
        errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', exceeded: [{ limit, maximum }] } }],
      },
    });

    test.each([
      ['of one', {}],
      ['of one with a key', { 'idempotency-key': 'too-long' }],
    ])('%s change nothing', async (_of, headers) => {
      const { id } = await closed();
      expect(await change(reopening(id, 'a', 30), headers)).toMatchObject(tooLong('items', 25_000));
      expect(await left(id)).toEqual({ open: 0, activities: 0, keys: 0 });
    });

    test('change nothing either if they are more than is kept for a key', async () => {
      const { id } = await closed();
      const once = { 'idempotency-key': 'kept' };
      const lists = reopening(id, 'a', 10).replaceAll('role', `role ${'person { id fullName title } '}`);
      const { body } = await change(lists, once);
      expect(body.data ?? null).toBeNull();
      expect(body.errors[0].extensions).toMatchObject(
        tooLong('characters', 1_000_000).body.errors[0]?.extensions ?? {},
      );
      expect(await left(id)).toEqual({ open: 0, activities: 0, keys: 0 });
      const { status } = await change(reopening(id, 'a', 1), once);
      expect([status, await left(id)]).toEqual([200, { open: 1, activities: 1, keys: 1 }]);
    });

    test('have no limit in REST, which selects them itself', async () => {
      const strict = new World(wide.db, wide.url, { responseCharacters: 1_000 });
      const { id } = await closed();
      const { status, body } = await strict.post(restPaths.reopenGoal, own.caller.token, { id });
      expect([status, body.goal.potential_subscribers.length > 1200]).toEqual([200, true]);
    });
  });

  describe('that are more than a request may read', () => {
    const strict = new World(wide.db, wide.url, { readCharacters: 50_000 });
    const error = { code: 'QUERY_TOO_COMPLEX', exceeded: [{ limit: 'characters', maximum: 50_000 }] };
    const isOpen = (id: string) => wide.db.goal.count({ where: { id, closedAt: null } });

    test('fail a query, and the next one has its own bound', async () => {
      const ask = (fields: string) => strict.graphql(own.caller.token, `{ goals(first: 4) { nodes { ${fields} } } }`);
      const { body } = await ask('potentialSubscribers { person { id } }');
      expect([body.data, body.errors[0].extensions]).toMatchObject([null, error]);
      expect((await ask('id')).body.errors).toBeUndefined();
    });

    test.each<[string, Record<string, string>, number]>([
      ['with a key, which is undone', { 'idempotency-key': 'reads-much' }, 0],
      ['that has committed by itself', {}, 1],
    ])('are 503 in REST, whose documents are ours, for a change %s', async (_what, headers, changed) => {
      const { id } = await wide.closedGoal(large);
      const stricter = new World(wide.db, wide.url, { readCharacters: 50_000 / 4 });
      const { status, body } = await stricter.post(restPaths.reopenGoal, own.caller.token, { id }, headers);
      expect([status, body.code, await isOpen(id)]).toEqual([503, 'SERVICE_UNAVAILABLE', changed]);
      expect(stricter.log).toContainEqual(expect.objectContaining({ level: 50, msg: 'unexpected error' }));
    });
  });

  test('cost a change two more SQL statements, begin and commit, only if an alias or a page can make it longer', async () => {
    const statementsFor = async (selection: string) => {
      const { id } = await wide.closedGoal(large);
      const { statements } = await statementsOf(() =>
        wide.graphql(own.caller.token, `mutation { reopenGoal(input: { id: "${id}" }) { goal { ${selection} } } }`),
      );
      return statements.length;
    };
    await statementsFor('id');
    const short = await statementsFor('id targets { id } checklist { id }');
    const more = async (selection: string) => (await statementsFor(selection)) - short;
    expect(await more('id few: targets { id } checklist { id }')).toBe(2);
    expect(await more('id targets { t: name } checklist { id }')).toBe(2);
    expect(await more('id targets { id } checklist { completedByNow: completed }')).toBe(2);
    expect(await more('id targets { id } checklist { done: completed }')).toBe(0);
  });

  test('and so are names that stand in too many of them', async () => {
    const strict = new World(wide.db, wide.url, { responseCharacters: 500_000 });
    const names = ['a', 'b', 'c'].map((end) => `${'x'.repeat(190)}${end}: role`).join(' ');
    const query = `{ goals(first: 1) { nodes { potentialSubscribers { ${names} } } } }`;
    const { body } = await strict.graphql(own.caller.token, query);
    expect(body.data).toBeNull();
    expect(body.errors[0].extensions.exceeded).toEqual([{ limit: 'characters', maximum: 500_000 }]);
  });
});

describe('long texts with too many characters in all', async () => {
  const { caller: reader, hub } = await world.teamWithHub('space');
  const long = (letter: string) => letter.repeat(2_500_000);
  const document = await world.document(hub, reader, [long('x'), long('y'), long('z')]);
  const ofVersions = (fields: string) => `resourceHubDocument(id: $id) { versions(first: 3) { nodes { ${fields} } } }`;

  test.each([
    ['of a document', document.id, `resourceHubDocument(id: $id) { ${repeated('content', 29)} }`],
    ['of differences', document.id, ofVersions(repeated('diffToPrevious { content { changes { text } } }', 10))],
  ])('are refused while they are read: %s', async (_of, id, field) => {
    const { body } = await world.graphql(reader.token, `query ($id: ID!) { ${field} }`, { id });
    expect(JSON.stringify(body).length).toBeLessThan(17_000_000);
    const exceeded = [{ limit: 'characters', maximum: 16_000_000 }];
    expect(body.errors[0].extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', exceeded });
  });
});
