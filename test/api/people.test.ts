import { describe, expect, test } from 'vitest';
import { walk } from '../support/walk.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const query = `query ($text: String, $first: Int, $after: String) {
  people(text: $text, first: $first, after: $after) { totalCount nodes { id fullName } pageInfo { endCursor hasNextPage } }
}`;
const ask = async (token: string, variables: Json = {}) => (await world.graphql(token, query, variables)).body;
const namesFor = async (token: string, variables: Json = {}) =>
  (await ask(token, variables)).data.people.nodes.map(({ fullName }: Json) => fullName);

describe('people', () => {
  test('are found by a part of the name, in any case, sorted by name, page by page', async () => {
    const company = await world.company();
    const caller = await world.person(company, { fullName: 'Zoe Weber' });
    for (const fullName of ['Jonas Weber', 'anna Weberling', 'Tomas Okafor']) await world.person(company, { fullName });
    expect(await namesFor(caller.readOnlyToken, { text: ' WEBER ' })).toEqual([
      'anna Weberling',
      'Jonas Weber',
      'Zoe Weber',
    ]);
    const { people: first } = (await ask(caller.token, { first: 2 })).data;
    expect(first).toMatchObject({
      totalCount: 4,
      nodes: [{ fullName: 'anna Weberling' }, { fullName: 'Jonas Weber' }],
    });
    expect(await namesFor(caller.token, { first: 2, after: first.pageInfo.endCursor })).toEqual([
      'Tomas Okafor',
      'Zoe Weber',
    ]);
  });

  test('are those of the company who are not suspended', async () => {
    const { company, caller } = await world.team();
    await world.person(company, { fullName: 'Gone Weber', suspendedAt: new Date() });
    await world.person(await world.company(), { fullName: 'Other Weber' });
    expect(await namesFor(caller.token, { text: 'Weber' })).toEqual([]);
  });

  test('are for a guest only those of the same spaces', async () => {
    const company = await world.company();
    const guest = await world.person(company, { fullName: 'A guest', type: 'guest' });
    const member = await world.person(company, { fullName: 'B member' });
    const owner = await world.person(company, { fullName: 'C guest who owns', type: 'guest', isOwner: true });
    await world.space(company, [guest, member]);
    await world.space(company, [owner]);
    expect(await namesFor(guest.token)).toEqual(['A guest', 'B member']);
    expect(await namesFor(member.token)).toEqual(['A guest', 'B member', 'C guest who owns']);
    expect(await namesFor(owner.token)).toEqual(['A guest', 'B member', 'C guest who owns']);
  });

  test('are found page by page if many have the text, also among names of nothing but marks', async () => {
    const { company, caller } = await world.team();
    await world.sql(
      `INSERT INTO people (company_id, full_name) SELECT $1, 'Many ' || lpad((n * 7919 % 800)::text, 3, '0') FROM generate_series(0, 799) n`,
      [company.companyId],
    );
    await world.sql(
      `INSERT INTO people (company_id, full_name) SELECT $1, n || repeat(U&'\\0301\\0323', 248) FROM generate_series(10, 60) n`,
      [company.companyId],
    );
    const found = await walk(async (after) => {
      return (await ask(caller.readOnlyToken, { text: 'MANY', first: 100, after })).data.people;
    });
    expect(found.map(({ fullName }) => fullName)).toEqual(
      Array.from({ length: 800 }, (_, n) => `Many ${String(n).padStart(3, '0')}`),
    );
    expect(await namesFor(caller.token, { text: 'many 79' })).toHaveLength(18);
  });

  test.each([
    [{ text: 'a b' }, 'text', 'too_short'],
    [{ after: 'x' }, 'after', 'invalid'],
  ])('are not found with %j', async (variables, field, code) => {
    const { errors } = await ask((await world.team()).caller.token, variables);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ field, code }] });
  });
});
