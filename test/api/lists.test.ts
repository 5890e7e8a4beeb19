import { describe, expect, test } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { mutation } from '../support/surfaces.js';
import { walk } from '../support/walk.js';
import { createWorld, type Json } from '../support/world.js';

// These tests ask for more at once than the limits allow.
const world = await createWorld({ queryLimits: { complexity: 1_000_000 } });
const { db } = world;

async function read(token: string, document: string, variables: Json = {}): Promise<Json> {
  const { body } = await world.graphql(token, document, variables);
  expect(body.errors).toBeUndefined();
  return body.data;
}

/** The arguments of a page of a list that is walked through. */
const windowOf = (back: boolean) => (back ? 'last: $size, before: $cursor' : 'first: $size, after: $cursor');

/** The names of all goals, page by page. */
async function goalNames(token: string, size: number, orderBy: string, filter = '{}', back = false): Promise<string[]> {
  const document = `query($size: Int, $cursor: String) { goals(${windowOf(back)}, orderBy: ${orderBy}, filter: ${filter}) {
    edges { cursor } nodes { name } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const page = async (cursor: string | null) => {
    const { goals } = await read(token, document, { size, cursor });
    expect(goals.pageInfo.startCursor).toBe(goals.edges[0]?.cursor ?? null);
    return goals;
  };
  return (await walk(page, { back })).map(({ name }) => name);
}

/** The names of the goals whose name has the text. */
const goalsWith = (token: string, text: string) =>
  goalNames(token, 1, '{ field: NAME }', `{ text: ${JSON.stringify(text)} }`);

const names = (connection: Json) => connection.nodes.map(({ name }: Json) => name);
const ids = (connection: Json) => connection.nodes.map(({ id }: Json) => id);

const tooShort = 'must have a word of at least 2 characters';

describe('a list of goals', () => {
  test('pages forwards and backwards through every row once, in a stable order though names and times are equal', async () => {
    const { caller, space } = await world.team();
    const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + (n % 3)));
    for (let n = 0; n < 8; n++) {
      await world.goal(space, {
        name: `${n % 2 ? 'same' : 'SAME'} ${n % 4}`,
        insertedAt: day(n),
        updatedAt: day(n + 1),
      });
    }
    for (const field of ['NAME', 'INSERTED_AT', 'UPDATED_AT']) {
      for (const direction of ['ASC', 'DESC']) {
        const order = `{ field: ${field}, direction: ${direction} }`;
        const whole = await goalNames(caller.token, 100, order);
        expect(whole).toHaveLength(8);
        for (const back of [false, true]) expect(await goalNames(caller.token, 3, order, '{}', back)).toEqual(whole);
      }
    }
    expect((await goalNames(caller.token, 4, '{ field: NAME }')).map((name) => name.toLowerCase())).toEqual(
      [0, 0, 1, 1, 2, 2, 3, 3].map((n) => `same ${n}`),
    );
  });

  test('goes on where it was when the row of the cursor is gone', async () => {
    const { caller, space } = await world.team();
    const goals = [];
    for (const name of ['a', 'b', 'c', 'd']) goals.push(await world.goal(space, { name }));
    const page = 'query($after: String) { goals(first: 2, after: $after) { nodes { name } pageInfo { endCursor } } }';
    const first = await read(caller.token, page);
    await db.goal.deleteMany({ where: { id: goals[1]?.id ?? '' } });
    expect(names((await read(caller.token, page, { after: first.goals.pageInfo.endCursor })).goals)).toEqual([
      'c',
      'd',
    ]);
  });

  test.each([
    ['first: 1, last: 1', 'last', 'must not be given together with first'],
    [`after: "${cursor('goals.name', 0, '\u0000', 'b')}"`, 'after', 'is not a cursor of this list in this order'],
    [
      `after: "${cursor('goals.insertedAt', 0, '2024-04-31T00:00:00.000Z', '')}", orderBy: { field: INSERTED_AT }`,
      'after',
      'is not a cursor of this list in this order',
    ],
    ['filter: { text: "  a b \u200bc " }', 'filter.text', tooShort],
    ['filter: { text: "e\u0301\u0300" }', 'filter.text', tooShort],
  ])('with %s answers BAD_USER_INPUT for %s', async (args, field, message) => {
    const { caller } = await world.team();
    const { status, body } = await world.graphql(caller.token, `{ goals(${args}) { nodes { id } } }`);
    expect(status).toBe(400);
    expect(body.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field, message }] });
  });

  test('with first: 0 is an empty page that knows whether there is more', async () => {
    const { caller, space } = await world.team();
    await world.goal(space);
    const { goals } = await read(
      caller.token,
      '{ goals(first: 0) { nodes { id } pageInfo { hasNextPage endCursor } } }',
    );
    expect(goals).toEqual({ nodes: [], pageInfo: { hasNextPage: true, endCursor: null } });
  });

  test('says on the page before a cursor that the row of the cursor follows', async () => {
    const { caller, space } = await world.team();
    for (const name of ['a', 'b', 'c']) await world.goal(space, { name });
    const page = (args: string) => `{ goals(${args}) { nodes { name } pageInfo { hasNextPage startCursor } } }`;
    const { goals: last } = await read(caller.token, page('last: 1'));
    const { goals: before } = await read(caller.token, page(`last: 1, before: "${last.pageInfo.startCursor}"`));
    expect([names(last), last.pageInfo.hasNextPage]).toEqual([['c'], false]);
    expect([names(before), before.pageInfo.hasNextPage]).toEqual([['b'], true]);
  });

  test('filters by space, closed, archived and champion', async () => {
    const { company, caller, space } = await world.team();
    const other = await world.space(company, [caller]);
    await world.goal(space, { name: 'open' });
    await world.closedGoal(space, { name: 'closed', championId: caller.id });
    await world.goal(space, { name: 'archived', archivedAt: new Date() });
    await world.closedGoal(space, { name: 'both', archivedAt: new Date() });
    await world.goal(other, { name: 'elsewhere' });
    const found = (filter: string) => goalNames(caller.token, 20, '{ field: NAME }', filter);
    expect(await found(`{ spaceId: "${other.id}" }`)).toEqual(['elsewhere']);
    expect(await found('{ isClosed: true }')).toEqual(['both', 'closed']);
    expect(await found('{ isClosed: false, isArchived: false }')).toEqual(['elsewhere', 'open']);
    expect(await found(`{ isArchived: true, spaceId: "${space.id}" }`)).toEqual(['archived', 'both']);
    expect(await found(`{ championId: "${caller.id}" }`)).toEqual(['closed']);
    expect(await found(`{ championId: "${caller.id}", isClosed: false }`)).toEqual([]);
    const ofNobody = `query ($id: ID) { space: goals(filter: { spaceId: $id }) { totalCount }
      champion: goals(filter: { championId: $id }) { totalCount } }`;
    const none = { totalCount: 0 };
    for (const id of ['nothing', 'a\0b', 'a\ud83d'])
      expect((await world.graphql(caller.token, ofNobody, { id })).body.data).toEqual({ space: none, champion: none });
  });

  test('filters by a text in the name, in upper or lower case and literally', async () => {
    const { caller, space } = await world.team();
    for (const name of ['Grow 100% of Revenue', 'revenue growth', 'Ünïque', 'Plan', 'C:\\plans'])
      await world.goal(space, { name });
    const found = (text: string) => goalsWith(caller.token, text);
    expect(await found('REVENUE')).toEqual(['Grow 100% of Revenue', 'revenue growth']);
    expect(await found('00%')).toEqual(['Grow 100% of Revenue']);
    expect(await found('g%w')).toEqual([]);
    expect(await found('c:\\plan')).toEqual(['C:\\plans']);
    expect(await found('\\\\plan')).toEqual([]);
    expect(await found('ÜNÏ')).toEqual(['Ünïque']);
  });

  test.each([
    ['Entwürfe für München', ['münchen', 'MÜNCHEN', 'Mu\u0308nchen', 'munchen', 'für Entwürfe']],
    ['U\u0308bersicht Ko\u0308ln', ['Köln', 'übersicht', 'koln']],
    ['Les cafés de Łódź', ['cafes', 'cafe\u0301s', 'lodz', 'ŁÓDŹ']],
    ['ΟΔΟΣ ΕΡΜΟΥ', ['οδος', 'οδοσ', 'ερμου οδος']],
    ['Straße 12', ['strasse', 'STRASSE', 'straße']],
    ['会议记录', ['会议', '议记', '记录', '会议记录']],
    ['東京タワー', ['東京', 'タワ', 'タワー']],
    ['İstanbul ofisi', ['istanbul']],
    ['a_b 50%', ['a_b', '50%']],
    ['Be the town’s reading community', ["town's reading", 'town’s reading', 'town`s', 'town´s', 'town＇s']],
    ['Say “hello” to every «guest»', ['"hello"', '“hello”', '„hello', '"guest"', '＂guest＂']],
    ["A plain 'quote' and 5″", ['‘quote’', '‚quote', '5"']],
    ['Soft\u00adhyphen', ['softhyphen', 'soft\u00adhyphen', 'so\u00adft']],
    ['Zero\u200bwidth\ufeff\u2060', ['zerowidth', 'zero\u200bwidth', 'zero\ufeffwidth', 'o\u200dw']],
    ['Left\u200eto\u202aright ☎️', ['lefttoright', 'right ☎']],
    ['Q2 onboarding', ['Q2', 'Ｑ２', 'q2 on', 'on']],
    ['2026–27 well-being', ['2026-27', '2026—27', 'well‑being', 'well−being', '-2']],
    ['Ｆｕｌｌ　ｗｉｄｔｈ', ['full width', 'ｗｉｄ']],
    ['Cafe\u0301 \u0130zmir', ['café', 'cafe', 'izmir']],
  ])('finds %j by what people type', async (name, texts) => {
    const { caller, space } = await world.team();
    for (const each of [name, 'elsewhere']) await world.goal(space, { name: each });
    for (const text of texts) expect(await goalsWith(caller.token, text), text).toEqual([name]);
    for (const text of ['会录', 'munster', 'elsewhere plan', 'a＿x', '５０％０'])
      expect(await goalsWith(caller.token, text), text).toEqual([]);
  });

  test('sorts names as the Unicode collation algorithm does', async () => {
    const { caller, space } = await world.team();
    const names = ['zoo', 'Öl', 'éclair', 'Äpfel', 'apple', 'Zebra', '10 goals', 'ab', 'a b'];
    names.push('Straße', 'Ярмарка', '会议');
    for (const name of names) await world.goal(space, { name });
    const sorted = names.toSorted(new Intl.Collator('und').compare);
    expect(await goalNames(caller.token, 1, '{ field: NAME }')).toEqual(sorted);
    expect(await goalNames(caller.token, 5, '{ field: NAME, direction: DESC }')).toEqual(sorted.toReversed());
  });

  test('keeps its place for names longer than an index holds', async () => {
    const { caller, space } = await world.team();
    const long = '😀'.repeat(499);
    for (const end of ['a', 'b', 'c']) await world.goal(space, { name: long + end });
    expect((await goalNames(caller.token, 1, '{ field: NAME }')).sort()).toEqual([`${long}a`, `${long}b`, `${long}c`]);
  });
});

describe('the goals of a space, and those beneath a goal', () => {
  const hidden = { companyLevel: 0, spaceLevel: 0 };

  test.each(['space', 'goal'] as const)('of each %s page through what the caller can see, by name', async (kind) => {
    const { company, caller, space } = await world.team();
    const other = await world.space(company, [caller]);
    const parents = kind === 'space' ? [space, other] : [await world.goal(space), await world.goal(space)];
    const under = (index: number) => (kind === 'space' ? {} : { parentGoalId: parents[index]?.id });
    const child = (index: number, name: string, data: Json = {}) =>
      world.goal((kind === 'space' && parents[index]) || space, { name, ...under(index), ...data });
    const at = new Date();
    await child(0, 'd');
    await child(0, 'B', { closedAt: at, success: true });
    await child(0, 'a', { ...hidden, championId: caller.id });
    await child(0, 'c', { archivedAt: at });
    await child(0, 'e', { companyLevel: 0, spaceLevel: 10 });
    await child(0, 'hidden', hidden);
    await child(0, 'removed', { removedAt: at });
    await child(1, 'of the other');
    await world.goal(await world.space(await world.company()), { name: 'of another company' });
    const field = kind === 'space' ? 'goals' : 'subgoals';
    const document = `query ($one: ID!, $two: ID!, $size: Int, $after: String) {
      one: ${kind}(id: $one) { ...C } two: ${kind}(id: $two) { ...C } }
      fragment C on ${kind === 'space' ? 'Space' : 'Goal'} {
        list: ${field}(first: $size, after: $after) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } }`;
    const [one, two] = parents.map(({ id }) => id);
    const page = (size: number, after?: string) => read(caller.token, document, { one, two, size, after });
    const whole = await page(100);
    expect([names(whole.one.list), whole.one.list.totalCount]).toEqual([['a', 'B', 'c', 'd', 'e'], 5]);
    expect([names(whole.two.list), whole.two.list.totalCount]).toEqual([['of the other'], 1]);
    const first = (await page(2)).one.list;
    expect([names(first), first.pageInfo.hasNextPage]).toEqual([['a', 'B'], true]);
    expect(names((await page(3, first.pageInfo.endCursor)).one.list)).toEqual(['c', 'd', 'e']);
  });
});

describe('the nodes of a hub', () => {
  const fields = `{ __typename id name resourceHubId parentFolderId
    ... on ResourceHubFolder { childrenCount } ... on ResourceHubDocument { state author { fullName } }
    ... on ResourceHubFile { size blob { filename } } }`;

  async function furnished() {
    const { company, caller, space } = await world.team();
    const colleague = await world.person(company);
    const hub = await world.hub(company, { spaceId: space.id });
    const folder = await world.folder(hub);
    await db.resourceHubFolder.updateMany({ where: { id: folder.id }, data: { name: 'zebra' } });
    await world.document(hub, caller, ['text'], { name: 'Minutes' });
    await world.file(hub, caller, { name: 'apple.png' });
    await world.file(hub, caller, { name: 'Banana.png' });
    return { caller, colleague, hub, folder };
  }

  test('are folders, then documents, then files, each by name; without deleted ones and drafts of others', async () => {
    const { caller, colleague, hub, folder } = await furnished();
    const draft = await world.draft(hub, caller);
    await world.file(hub, caller, { name: 'gone', deletedAt: new Date() });
    await world.document(hub, caller, ['text'], { name: 'gone too', deletedAt: new Date() });
    await world.file(hub, caller, { name: 'deeper', parentFolderId: folder.id });
    const document = `{ resourceHub(id: "${hub.id}") { nodes(filter: { text: null }) { totalCount nodes ${fields} } } }`;
    const { nodes } = (await read(caller.token, document)).resourceHub;
    expect(names(nodes)).toEqual(['zebra', draft.name, 'Minutes', 'apple.png', 'Banana.png']);
    expect(nodes.nodes[0]).toMatchObject({ __typename: 'ResourceHubFolder', childrenCount: 1, parentFolderId: null });
    expect(nodes.nodes[2]).toMatchObject({ __typename: 'ResourceHubDocument', state: 'PUBLISHED' });
    expect(nodes.nodes[3]).toMatchObject({ __typename: 'ResourceHubFile', size: 1234, blob: { filename: 'plan.pdf' } });
    expect(nodes.totalCount).toBe(5);
    expect(names((await read(colleague.token, document)).resourceHub.nodes)).toEqual([
      'zebra',
      'Minutes',
      'apple.png',
      'Banana.png',
    ]);
  });

  test('are found by name in all folders of the hub, page by page, without what the caller may not see', async () => {
    const { company, caller, space } = await world.team();
    const colleague = await world.person(company);
    const [hub, other] = [
      await world.hub(company, { spaceId: space.id }),
      await world.hub(company, { spaceId: space.id }),
    ];
    const folder = await world.folder(hub);
    await db.resourceHubFolder.updateMany({ where: { id: folder.id }, data: { name: 'Reports 100%' } });
    const parentFolderId = folder.id;
    await world.file(hub, caller, { name: 'report_b.pdf', parentFolderId });
    await world.file(hub, caller, { name: 'Report A.pdf' });
    await world.file(hub, caller, { name: 'report of yesterday', deletedAt: new Date() });
    await world.file(hub, caller, { name: 'photo.png', parentFolderId });
    await world.file(other, caller, { name: 'report of the other hub' });
    await world.document(hub, caller, ['text'], { name: 'Yearly report', parentFolderId });
    await world.document(hub, caller, ['text'], { name: 'report gone', deletedAt: new Date() });
    await world.draft(hub, caller, { name: 'A report to come', parentFolderId });
    const found = async ({ token }: { token: string }, text: string, page = 'first: 100') => {
      const document = `query ($text: String) { resourceHub(id: "${hub.id}") {
        nodes(${page}, filter: { text: $text }) { totalCount nodes { name } pageInfo { endCursor hasNextPage } } } }`;
      return (await read(token, document, { text })).resourceHub.nodes;
    };
    const published = ['Reports 100%', 'Yearly report', 'Report A.pdf', 'report_b.pdf'];
    expect(names(await found(colleague, ' REPORT '))).toEqual(published);
    expect(names(await found(caller, 'report'))).toEqual(published.toSpliced(1, 0, 'A report to come'));
    expect((await found(colleague, 'report')).totalCount).toBe(4);
    expect(names(await found(colleague, '00%'))).toEqual(['Reports 100%']);
    expect(names(await found(colleague, 't_b'))).toEqual(['report_b.pdf']);

    const after = (cursor: string | null) => (cursor ? `first: 1, after: "${cursor}"` : 'first: 1');
    const nodes = await walk((cursor) => found(caller, 'report', after(cursor)));
    expect(names({ nodes })).toEqual(names(await found(caller, 'report')));
    expect(names(await found(caller, 'report', 'last: 2'))).toEqual(['Report A.pdf', 'report_b.pdf']);
  });

  test('in a folder are its own, and a folder in an invisible hub does not exist', async () => {
    const { caller, hub, folder } = await furnished();
    await world.file(hub, caller, { name: 'deeper', parentFolderId: folder.id });
    const document = `{ resourceHubFolder(id: "${folder.id}") { name childrenCount nodes { nodes ${fields} } } }`;
    const { resourceHubFolder } = await read(caller.token, document);
    expect(resourceHubFolder).toMatchObject({
      name: 'zebra',
      childrenCount: 1,
      nodes: { nodes: [{ name: 'deeper' }] },
    });
    const { caller: stranger } = await world.team();
    expect((await world.graphql(stranger.token, document)).body.errors[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('nodes with a text', () => {
  const everywhere = `query ($text: String!) { resourceHubNodes(text: $text, first: 100) { totalCount nodes {
    ... on ResourceHubFolder { name } ... on ResourceHubFile { name } ... on ResourceHubDocument { name } } } }`;
  const inHub = `query ($id: ID!, $text: String) { resourceHub(id: $id) { nodes(first: 100, filter: { text: $text }) {
    totalCount nodes { ... on ResourceHubFolder { name } ... on ResourceHubFile { name } ... on ResourceHubDocument { name } } } } }`;

  test('have each word in their name, the name of their file or that of their hub', async () => {
    const { company, caller, space } = await world.team();
    const [handbook, archive] = [
      await world.hub(company, { spaceId: space.id }),
      await world.hub(company, { spaceId: space.id }),
    ];
    await world.sql("UPDATE resource_hubs SET name = 'Team’s Handbook' WHERE id = $1", [handbook.id]);
    await world.sql("UPDATE resource_hubs SET name = 'Archive' WHERE id = $1", [archive.id]);
    await world.document(handbook, caller, ['text'], { name: 'Pricing' });
    await world.document(archive, caller, ['text'], { name: 'Pricing of old' });
    await world.draft(handbook, caller, { name: 'My pricing' });
    const prices = await world.file(archive, caller, { name: 'Prices', filename: 'pricelist–2026.pdf' });
    const find = async (text: string, id?: string) => {
      const data = await read(caller.token, id ? inHub : everywhere, { text, id });
      const { nodes, totalCount } = id ? data.resourceHub.nodes : data.resourceHubNodes;
      expect(totalCount).toBe(nodes.length);
      return nodes.map(({ name }: Json) => name);
    };
    expect(await find('pricing')).toEqual(['My pricing', 'Pricing', 'Pricing of old']);
    expect(await find('pricing handbook')).toEqual(['My pricing', 'Pricing']);
    expect(await find("team's")).toEqual(['My pricing', 'Pricing']);
    expect(await find('my handbook pricing')).toEqual(['My pricing']);
    expect(await find('pricelist')).toEqual(['Prices']);
    expect(await find('-2026')).toEqual(['Prices']);
    expect(await find('archive pricelist PRICES')).toEqual(['Prices']);
    expect(await find('handbook pricelist')).toEqual([]);
    expect(await find('pricespricelist')).toEqual([]);
    expect(await find('handbook pricing', handbook.id)).toEqual(['My pricing', 'Pricing']);
    expect(await find('pdf archive', archive.id)).toEqual(['Prices']);
    expect(await find('handbook', archive.id)).toEqual([]);
    // The main application renames what was uploaded.
    await world.sql('UPDATE blobs SET filename = $1 WHERE id = $2', ['tariff.pdf', prices.blobId]);
    expect(await find('pricelist')).toEqual([]);
    expect(await find('tariff')).toEqual(['Prices']);
  });

  test('are all found, in order, by whoever may see them, also if there are many', async () => {
    const { company, caller, space } = await world.team();
    const guest = await world.person(company, { type: 'guest' });
    const open = await world.hub(company, { spaceId: space.id });
    const closed = await world.hub(company, { spaceId: (await world.space(company, [guest], { companyLevel: 0 })).id });
    await world.sql(
      `INSERT INTO resource_hub_folders (company_id, id, resource_hub_id, name)
       SELECT $1, 'many-' || n, CASE WHEN n % 3 = 0 THEN $3 ELSE $2 END, lpad((n * 7919 % 1500)::text, 4, '0') || ' ' ||
         CASE WHEN n % 5 = 0 THEN repeat('long ', 90) ELSE '' END || 'many'
       FROM generate_series(1, 1500) n`,
      [company.companyId, open.id, closed.id],
    );
    const rows = await world.sql(
      `SELECT name, resource_hub_id AS hub FROM resource_hub_folders WHERE company_id = $1 ORDER BY name_key(name), id`,
      [company.companyId],
    );
    const namesIn = (...hubs: string[]) => rows.filter(({ hub }) => hubs.includes(hub)).map(({ name }) => name);
    const pages = async (token: string, text: string, size: number, back = false, hub = '') => {
      const list = hub
        ? `resourceHub(id: "${hub}") { nodes(${windowOf(back)}, filter: { text: $text }) { ...Page } }`
        : `resourceHubNodes(${windowOf(back)}, text: $text) { ...Page }`;
      const document = `query ($size: Int, $cursor: String, $text: String!) { ${list} }
        fragment Page on ResourceHubNodeConnection { totalCount nodes { ... on ResourceHubFolder { name } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
      let total = 0;
      const page = async (cursor: string | null) => {
        const data = await read(token, document, { size, cursor, text });
        const connection = hub ? data.resourceHub.nodes : data.resourceHubNodes;
        total = connection.totalCount;
        return connection;
      };
      const found = (await walk(page, { back })).map(({ name }) => name);
      expect(found).toHaveLength(total);
      return found;
    };
    expect(await pages(caller.token, 'many', 100)).toEqual(namesIn(open.id));
    expect(await pages(guest.token, 'ny', 100, true)).toEqual(namesIn(closed.id));
    expect(await pages(caller.token, 'man an', 100, true, open.id)).toEqual(namesIn(open.id));
    const few = namesIn(open.id).filter((name) => name.includes('long') && name.includes('12'));
    expect(few.length).toBeGreaterThan(10);
    expect(await pages(caller.token, 'many 12 long', 7)).toEqual(few);
  });
});

test.each(['NAME', 'INSERTED_AT'])('many goals with a text are found by %s, each once', async (field) => {
  const { company, caller, space } = await world.team();
  const closed = await world.space(company, [], { companyLevel: 0 });
  await world.sql(
    `INSERT INTO goals (company_id, id, space_id, name, company_level, space_level, inserted_at, champion_id)
     SELECT $1, 'many-' || n, CASE WHEN n % 4 = 0 THEN $3 ELSE $2 END, 'Many ' || lpad((n * 7919 % 1000)::text, 4, '0'),
       CASE WHEN n % 4 = 0 THEN 0 ELSE 70 END, 70, '2026-01-01Z'::timestamptz + (n * 31 % 1000) * interval '1 second',
       CASE WHEN n % 40 = 0 THEN $4 END
     FROM generate_series(1, 1000) n`,
    [company.companyId, space.id, closed.id, caller.id],
  );
  const column = field === 'NAME' ? 'name' : 'inserted_at';
  const rows = await world.sql(
    `SELECT name FROM goals WHERE company_id = $1 AND (space_id = $2 OR champion_id = $3) ORDER BY ${column}, id`,
    [company.companyId, space.id, caller.id],
  );
  const found = (text: string, back = false) =>
    goalNames(caller.token, 100, `{ field: ${field} }`, `{ text: "${text}" }`, back);
  const all = rows.map(({ name }) => name);
  expect(await found('many')).toEqual(all);
  expect(await found('an', true)).toEqual(all);
  expect(await found('many 099')).toEqual(all.filter((name) => name.includes('099')));
});

describe('the nodes of all hubs', () => {
  const document = `query ($text: String!, $first: Int, $after: String) {
    resourceHubNodes(text: $text, first: $first, after: $after) {
      totalCount pageInfo { endCursor hasNextPage } nodes { __typename name resourceHubId } } }`;
  const find = async ({ token }: { token: string }, variables: Json) =>
    (await read(token, document, variables)).resourceHubNodes;

  test('are found by name in every hub that the caller can see, paged, in one order', async () => {
    const { company, caller, space } = await world.team();
    const guest = await world.person(company, { type: 'guest' });
    const goal = await world.goal(space, { name: 'Goal' });
    const closed = await world.space(company, [], { companyLevel: 0 });
    const hubs = await Promise.all(
      [{ spaceId: space.id }, { goalId: goal.id }, { spaceId: closed.id }].map((parent) => world.hub(company, parent)),
    );
    const [ofSpace, ofGoal, unseen] = hubs as [(typeof hubs)[0], (typeof hubs)[0], (typeof hubs)[0]];
    const folder = await world.folder(ofGoal);
    await db.resourceHubFolder.updateMany({ where: { id: folder.id }, data: { name: 'Quarterly reports' } });
    await world.file(ofSpace, caller, { name: 'report.pdf' });
    await world.file(ofGoal, caller, { name: 'A report.pdf', parentFolderId: folder.id });
    await world.file(ofSpace, caller, { name: 'report that is gone.pdf', deletedAt: new Date() });
    await world.file(unseen, caller, { name: 'unseen report.pdf' });
    await world.file(ofSpace, caller, { name: 'photo.png' });
    await world.document(ofSpace, caller, ['text'], { name: 'Report of the year' });
    await world.draft(ofGoal, caller, { name: 'My report' });
    const { caller: stranger, hub: elsewhere } = await world.teamWithHub('space');
    await world.file(elsewhere, stranger, { name: 'report of another company' });

    const all = await find(caller, { text: ' RePort ' });
    expect(all.nodes.map(({ __typename, name, resourceHubId }: Json) => [__typename, name, resourceHubId])).toEqual([
      ['ResourceHubFolder', 'Quarterly reports', ofGoal.id],
      ['ResourceHubDocument', 'My report', ofGoal.id],
      ['ResourceHubDocument', 'Report of the year', ofSpace.id],
      ['ResourceHubFile', 'A report.pdf', ofGoal.id],
      ['ResourceHubFile', 'report.pdf', ofSpace.id],
    ]);
    expect(all).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: false } });
    const nodes = await walk((after) => find(caller, { text: 'report', first: 2, after }));
    expect(names({ nodes })).toEqual(names(all));
    expect(await find(guest, { text: 'report' })).toMatchObject({ totalCount: 0, nodes: [] });
    expect(names(await find(stranger, { text: 'report' }))).toEqual(['report of another company']);
  });
});

test('fragments on several types may ask for different lists at one place of the answer', async () => {
  const { caller, hub } = await world.teamWithHub('space');
  for (let index = 0; index < 3; index += 1) await world.file(hub, caller);
  await world.document(hub, caller);
  const query = `query ($id: ID!) { resourceHub(id: $id) { nodes { nodes {
    ... on ResourceHubFile { its: resourceHub { list: nodes(first: 1) { nodes { __typename } } } }
    ... on ResourceHubDocument { its: resourceHub { list: nodes(first: 3) { nodes { __typename ...Listed } } } }
  } } } }
  fragment Listed on ResourceHubNode {
    ... on ResourceHubFile { list: activities { totalCount nodes { __typename } } }
    ... on ResourceHubDocument { list: versions { totalCount nodes { __typename } } }
  }`;
  const { body } = await world.graphql(caller.token, query, { id: hub.id });
  expect(body.errors).toBeUndefined();
  const document = { __typename: 'ResourceHubDocument' };
  const file = { __typename: 'ResourceHubFile', list: { totalCount: 0, nodes: [] } };
  const version = { __typename: 'DocumentVersion' };
  const ofFile = { its: { list: { nodes: [document] } } };
  const listed = { ...document, list: { totalCount: 3, nodes: [version, version, version] } };
  expect(body.data.resourceHub.nodes.nodes).toEqual([
    { its: { list: { nodes: [listed, file, file] } } },
    ...[ofFile, ofFile, ofFile],
  ]);
});

test('versions of a document come newest first, by pages', async () => {
  const { caller, hub } = await world.teamWithHub('space');
  const document = await world.document(hub, caller, ['one', 'two', 'three', 'four']);
  const { resourceHubDocument } = await read(
    caller.token,
    `query($id: ID!, $after: String) { resourceHubDocument(id: $id) {
      all: versions { totalCount nodes { versionNumber isCurrent editor { id } titleChanged } }
      page: versions(first: 2, after: $after) { nodes { versionNumber } } } }`,
    { id: document.id, after: cursor('resourceHubDocument.versions', 0, 4, '') },
  );
  expect(resourceHubDocument.all.nodes.map(({ versionNumber }: Json) => versionNumber)).toEqual([4, 3, 2, 1]);
  expect(resourceHubDocument.all.nodes[0]).toMatchObject({ isCurrent: true, editor: { id: caller.id } });
  expect(resourceHubDocument.page.nodes.map(({ versionNumber }: Json) => versionNumber)).toEqual([3, 2]);
});

describe('a cursor that is not as a list wrote it is none:', async () => {
  const { company, caller, space } = await world.team();
  const document = await world.document(await world.hub(company, { spaceId: space.id }), caller);
  await world.goal(space);
  await world.activity(caller, { action: 'resource_hub_document_edited', documentId: document.id });
  const ofDocument = (list: string) => (page: string) =>
    `resourceHubDocument(id: "${document.id}") { list: ${list}${page} }`;
  // One for each type of key.
  const lists: Record<string, (page: string) => string> = {
    'by name': (page) => `list: goals${page}`,
    'by number': ofDocument('versions'),
    'by time': ofDocument('activities'),
  };
  const changed = (change: (parts: Json[]) => unknown) => (real: string) => {
    const parts = JSON.parse(Buffer.from(real, 'base64url').toString());
    return Buffer.from(JSON.stringify(change(parts))).toString('base64url');
  };
  const damages: Record<string, (real: string) => string> = {
    'its end is cut off': (real) => real.slice(0, -1),
    'its half is cut off': (real) => real.slice(0, real.length / 2),
    'something follows': (real) => `${real}AA`,
    'it is padded': (real) => `${real}=`,
    'it has a line break': (real) => `${real.slice(0, 4)}\n${real.slice(4)}`,
    'it has spaces': (real) => `${real} `,
    'it has other characters': (real) => `${real.slice(0, 4)}!${real.slice(4)}`,
    'its JSON is spaced': (real) =>
      Buffer.from(Buffer.from(real, 'base64url').toString().replaceAll(',', ', ')).toString('base64url'),
    'it is another list': changed(([, ...rest]) => ['people', ...rest]),
    'its rank is none': changed(([name, , key, id]) => [name, 0.5, key, id]),
    'its key is missing': changed(([name, rank, , id]) => [name, rank, null, id]),
    'its key is of another type': changed(([name, rank, , id]) => [name, rank, [], id]),
    'its id is missing': changed(([name, rank, key]) => [name, rank, key]),
    'its id is a number': changed(([name, rank, key]) => [name, rank, key, 1]),
    'it has a part too many': changed((parts) => [...parts, '']),
    'it is no list': changed((parts) => ({ ...parts })),
    'it is empty': () => '',
  };

  const numbers = [2 ** 31, 1.5, '4'].map(
    (number) => [`its number is ${number}`, changed(([name, rank, , id]) => [name, rank, number, id])] as const,
  );

  test.each(Object.entries(lists))('of a list %s', async (_name, list) => {
    const { data } = (await world.graphql(caller.token, `{ ${list('(first: 1) { pageInfo { endCursor } }')} }`)).body;
    const real = (data.list ?? data.resourceHubDocument.list).pageInfo.endCursor;
    const errorsOf = async (argument: string, cursor: string | undefined) => {
      const query = `query ($cursor: String) { ${list(`(${argument}: $cursor) { pageInfo { endCursor } }`)} }`;
      return (await world.graphql(caller.token, query, { cursor })).body.errors;
    };
    for (const argument of ['after', 'before']) {
      expect(await errorsOf(argument, real)).toBeUndefined();
      for (const [damage, apply] of [...Object.entries(damages), ...(list === lists['by number'] ? numbers : [])])
        expect(await errorsOf(argument, apply(real)), damage).toMatchObject([
          { extensions: { code: 'BAD_USER_INPUT', errors: [{ field: argument, code: 'invalid' }] } },
        ]);
    }
  });
});

test("the viewer's notifications come newest first; only the unread or only the read ones when asked", async () => {
  const { company, caller, space } = await world.team();
  const reader = await world.person(company);
  for (const message of ['one', 'two', 'three']) {
    const { id } = await world.closedGoal(space);
    const input = { id, message, subscriberIds: [reader.id] };
    await world.graphql(caller.token, mutation('reopenGoal'), { input });
  }
  const list = async (args: string) => {
    const document = `{ viewer { notifications${args} { totalCount nodes { id activity { message } } } } }`;
    return (await read(reader.token, document)).viewer.notifications;
  };
  const all = await list('');
  expect(all.nodes.map(({ activity }: Json) => activity.message)).toEqual(['three', 'two', 'one']);
  await db.notification.updateMany({ where: { id: all.nodes[1].id }, data: { readAt: new Date() } });
  const [unread, alreadyRead] = [await list('(isRead: false)'), await list('(isRead: true)')];
  expect([ids(unread), unread.totalCount]).toEqual([[all.nodes[0].id, all.nodes[2].id], 2]);
  expect([ids(alreadyRead), alreadyRead.totalCount]).toEqual([[all.nodes[1].id], 1]);
});

describe('statements', () => {
  const document = `query($first: Int) {
    viewer { notifications(first: $first) { nodes { activity { author { fullName } subject { ... on Goal { name } } } } } }
    goals(first: $first) { nodes { name status space { name } champion { fullName }
      activities(first: $first) { nodes { message author { fullName } } pageInfo { hasNextPage } } } }
    spaces(first: $first) { nodes { name isMember } }
    resourceHubs(first: $first) { nodes { name goal { name } nodes(first: $first) { nodes { name
      ... on ResourceHubFolder { childrenCount nodes(first: $first) { nodes { id } } }
      ... on ResourceHubFile { size author { fullName } activities(first: $first) { nodes { action } } }
      ... on ResourceHubDocument { versions(first: $first) { nodes { versionNumber editor { fullName } isCurrent } } } } } } }
  }`;

  test('do not grow with the page or the data', async () => {
    const { company, caller, space } = await world.team();
    const add = async () => {
      const goal = await world.closedGoal(await world.space(company, [caller]), { championId: caller.id });
      const author = await world.person(company);
      await world.grant(company, author, 70, { goalId: goal.id });
      const input = { id: goal.id, message: 'x', subscriberIds: [caller.id] };
      await world.graphql(author.token, mutation('reopenGoal'), { input });
      const hub = await world.hub(company, { goalId: goal.id });
      for (let n = 0; n < 2; n++) {
        const folder = await world.folder(hub);
        await world.folder(hub, folder.id);
        await world.file(hub, caller);
        await world.document(hub, caller);
      }
      const { id: fileId } = await world.file(hub, caller);
      await world.activity(caller, { action: 'resource_hub_file_created', fileId });
    };
    const count = async (first: number) => {
      const { result, statements } = await statementsOf(() => world.graphql(caller.readOnlyToken, document, { first }));
      expect(result.body.errors).toBeUndefined();
      return statements.filter(({ text }) => !text.startsWith('UPDATE')).length;
    };
    await world.goal(space);
    await add();
    // The first use of a token looks for its company.
    await world.graphql(caller.readOnlyToken, '{ __typename }');
    const small = await count(10);
    for (let n = 0; n < 5; n++) await add();
    expect(await count(50)).toBe(small);
    expect(small).toBe(15);
  });
});

function cursor(...parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}
