import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { eventKind } from '../../../src/events/event.js';
import { readCursor } from '../../../src/lists/engine.js';
import { freePort } from '../../../src/platform/embedded/server.js';
import { webhookKey } from '../../support/deliveries.js';
import { pathOf, textOf } from '../../support/documents.js';
import { eventually } from '../../support/eventually.js';
import { builtMain, commandOutput } from '../../support/goalpost.js';
import { temporaryDatabase, temporaryEmptyDatabase, temporaryServer } from '../../support/temporary.js';

const goals = 40;
const program = pathOf('docs/application/main.ts');

/** Starts the application of docs/integrating.md as its own process. */
function startApplication(args: string[], settings: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], {
    env: { ...process.env, ...settings },
  });
  const output = { printed: '', failures: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.failures += text.replace(/^Database: .*\n/gm, '');
  });
  return { child, output, ended: once(child, 'exit').then(([code]) => ({ code, ...output })) };
}

test('the application resyncs beside its service, which webhooks wake meanwhile, and passes what is hidden', async () => {
  const [gateway, own] = [await temporaryDatabase(), await temporaryEmptyDatabase()];
  const server = await temporaryServer({
    DATABASE_URL: gateway.url,
    WEBHOOK_KEY: webhookKey,
    WEBHOOK_ALLOW: '127.0.0.0/8',
  });
  const port = await freePort();
  const settings = {
    APPLICATION_URL: own.directUrl,
    DATABASE_URL: gateway.url,
    GATEWAY: server.base,
    GOALPOST: `${process.execPath} ${builtMain}`,
    WAKE_PORT: `${port}`,
  };
  const application = new pg.Pool({ connectionString: own.directUrl });
  const inGateway = new pg.Pool({ connectionString: gateway.url });
  onTestFinished(async () => void (await Promise.all([application.end(), inGateway.end()])));
  await application.query(textOf('docs/application/schema.sql'));
  await application.query(
    `INSERT INTO goals SELECT 'g' || n, 'Goal ' || n, '2026-01-01Z', 'owner', true FROM generate_series(1, ${goals + 1}) n`,
  );
  await application.query(`INSERT INTO people (id, name, is_guest) VALUES ('ann', 'Ann', false), ('gus', 'Gus', true);
    INSERT INTO spaces VALUES ('lab', 'Lab', 0, 70); INSERT INTO space_members VALUES ('lab', 'ann');
    INSERT INTO goals (id, name, space_id, member_level) VALUES ('secret', 'Secret', 'lab', 40);
    INSERT INTO goal_access VALUES ('secret', 'gus', 10)`);
  const access = async () =>
    (
      await inGateway.query(
        "SELECT person_id, level FROM goal_access WHERE company_id = 'acme' AND goal_id = 'secret' AND level > 0 ORDER BY person_id",
      )
    ).rows.map(({ person_id, level }) => `${person_id} ${level}`);
  expect(await startApplication(['load'], settings).ended).toMatchObject({ code: 0, failures: '' });
  expect(await access()).toEqual(['ann 40', 'gus 10', 'owner 100']);
  await application.query(`UPDATE spaces SET company_level = 10 WHERE id = 'lab'; DELETE FROM space_members;
    UPDATE people SET left_at = now() WHERE id = 'gus'`);
  const create = (...more: string[]) => commandOutput(['token', 'create', '--person', 'owner', ...more], settings);
  const [TOKEN, caller] = [await create('--name', 'application'), await create('--name', 'caller', '--write')];
  const hook = `mutation { createWebhook(input: { url: "http://127.0.0.1:${port}/" }) { webhook { id } } }`;
  expect((await server.client.graphql(caller, hook)).body.errors).toBeUndefined();

  // More events than a page of the feed looks at, of a goal that is removed then.
  await inGateway.query(
    `INSERT INTO activities (company_id, action, author_id, goal_id, name)
     SELECT 'acme', 'goal_closed', 'owner', 'g${goals + 1}', 'Gone' FROM generate_series(1, 1100)`,
  );
  await application.query(`DELETE FROM goals WHERE id = 'g${goals + 1}'`);
  expect(await startApplication(['once'], { ...settings, TOKEN }).ended).toMatchObject({ code: 0, failures: '' });
  expect(await access()).toEqual(['ann 10', 'gus 10', 'owner 100']);
  const left = "SELECT suspended_at IS NOT NULL AS left FROM people WHERE company_id = 'acme' AND id = 'gus'";
  expect((await inGateway.query(left)).rows).toEqual([{ left: true }]);
  await application.query("DELETE FROM goals WHERE id = 'secret'; DELETE FROM spaces WHERE id = 'lab'");

  const service = startApplication([], { ...settings, TOKEN });
  const change = async () => {
    for (let n = 1; n <= goals; n += 1) {
      const { status } = await server.client.post('/api/external/v1/reopen_goal', caller, { id: `g${n}` });
      expect(status).toBe(200);
      await application.query("UPDATE goals SET name = name || '!' WHERE id = $1", [`g${goals + 1 - n}`]);
      await sleep(100);
    }
  };
  const resync = async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await startApplication(['resync'], { ...settings, TOKEN }).ended).toMatchObject({ code: 0 });
    }
  };
  await Promise.all([change(), resync()]);

  const sides = [
    "SELECT id, name, closed_at FROM goals WHERE company_id = 'acme' AND removed_at IS NULL ORDER BY id",
    'SELECT id, name, closed_at FROM goals ORDER BY id',
  ];
  const expected = Array.from({ length: goals }, (_, n) => ({
    id: `g${n + 1}`,
    name: `Goal ${n + 1}!`,
    closed_at: null,
  })).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  await eventually(async () => {
    expect((await inGateway.query(sides[0] as string)).rows).toEqual(expected);
    expect((await application.query(sides[1] as string)).rows).toEqual(expected);
    const [{ cursor }] = (await application.query('SELECT cursor FROM taken_in')).rows;
    const last = readCursor(eventKind, cursor)?.key;
    expect((await inGateway.query('SELECT last_sequence::integer AS last FROM companies')).rows).toEqual([{ last }]);
    const [hooks] = (await inGateway.query('SELECT count(*)::integer AS count FROM webhook_attempts')).rows;
    expect(hooks.count).toBeGreaterThan(goals);
  });
  service.child.kill();
  // A file that does not know an event yet is refused, and sent again.
  const { failures } = await service.ended;
  expect(failures.split('\n').filter((line) => !/Nothing was imported|as_of does not know|^$/.test(line))).toEqual([]);
}, 240_000);
