import { afterAll, describe, expect, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { eventually } from '../../support/eventually.js';
import { preparedStatements, usesPgbouncer } from '../../support/pgbouncer.js';
import { statementsOf } from '../../support/statements.js';
import { createWorld, World } from '../../support/world.js';

const connections = 4;
const timeouts = { connect: 10_000, response: 2_000, statement: 1_000, lock: 0, idleTransaction: 0 };
const ask = '{ viewer { person { id } } }';

const made = await createWorld();
const [lost, alive] = [await made.team(), await made.team()];
const db = openModels({ url: made.url, poolSize: connections, preparedStatements, timeouts });
const gateway = new World(db, made.url);
afterAll(() => gateway.close());

/** The rows of one company are on a node that does not answer. */
const lose = () =>
  made.sql(`
    ALTER TABLE api_tokens RENAME TO stored_tokens;
    CREATE VIEW api_tokens AS SELECT * FROM stored_tokens
      WHERE CASE WHEN company_id = '${lost.company.companyId}' THEN pg_sleep(30) IS NOT NULL ELSE true END;
    GRANT ALL ON api_tokens TO PUBLIC`);
const find = () => made.sql('DROP VIEW api_tokens; ALTER TABLE stored_tokens RENAME TO api_tokens');

const statusOf = async (token: string) => (await gateway.graphql(token, ask)).status;

// PgBouncer is told to ignore the time limits of a connection.
describe.skipIf(usesPgbouncer)('a company whose rows the database does not find in time', () => {
  test('gets 503, and does not keep the others waiting for a connection; it is served again when they are found', async () => {
    const { token } = lost.caller;
    expect([await statusOf(token), await statusOf(alive.caller.token)]).toEqual([200, 200]);
    await lose();
    expect(await Promise.all(Array.from({ length: connections }, () => statusOf(token)))).toEqual([503, 503, 503, 503]);

    const four = () => Promise.all(Array.from({ length: connections }, () => statusOf(token)));
    const { statements, result } = await statementsOf(four);
    expect(result).toEqual([503, 503, 503, 503]);
    expect(
      statements.filter(({ text }) => text.includes('FROM api_tokens t JOIN people')),
      'that wait',
    ).toHaveLength(2);

    let isOver = false;
    const flood = Array.from({ length: 20 }, async () => {
      const statuses = new Set<number>();
      while (!isOver) {
        statuses.add(await statusOf(token));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return [...statuses];
    });
    for (let turn = 0; turn < 20; turn += 1) expect(await statusOf(alive.caller.token)).toBe(200);
    isOver = true;
    expect((await Promise.all(flood)).flat().filter((status) => status !== 503)).toEqual([]);

    await find();
    await eventually(async () => expect(await statusOf(token)).toBe(200));
  });
});
