import { hostname, networkInterfaces } from 'node:os';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { webhookRules } from '../../src/gateway.js';
import { OpenAddresses, urlProblem } from '../../src/webhooks/addresses.js';
import { insertWebhook, thisMachine, webhookKey } from '../support/deliveries.js';
import { createWorld, type Json, World } from '../support/world.js';

const rules = { keys: [webhookKey], allow: thisMachine, own: ['https://api.example.com', 'http://127.0.0.1:4000'] };
const world = await createWorld({ isAlone: true, webhooks: rules });

const url = 'https://example.com/hook';
const create = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) { secret webhook { id url actions exceptOrigins state position lag disabledReason retrying attempts { nodes { id } } } } }`;
const update = `mutation ($input: UpdateWebhookInput!) {
  updateWebhook(input: $input) { webhook { id url actions exceptOrigins state disabledReason position failingSince oldSecretUntil } } }`;
const remove = 'mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { id } }';
const rotate = `mutation ($input: RotateWebhookSecretInput!) {
  rotateWebhookSecret(input: $input) { secret webhook { id oldSecretUntil } } }`;
const replay = 'mutation ($input: ReplayWebhookInput!) { replayWebhook(input: $input) { webhook { id position } } }';
const send = 'mutation ($input: PingWebhookInput!) { pingWebhook(input: $input) { eventId webhook { id } } }';
const redeliver =
  'mutation ($input: RedeliverWebhookEventInput!) { redeliverWebhookEvent(input: $input) { eventId webhook { id } } }';
const list = '{ webhooks { id url } }';
const look =
  'query ($id: ID!) { webhook(id: $id) { id url lag attempts { nodes { eventId outcome status response } totalCount } } }';

/** A company, one of its owners, and somebody who is none. */
async function owned() {
  const company = await world.company();
  const owner = await world.person(company, { isOwner: true });
  return { company, owner, member: await world.person(company) };
}

const outcome = ({ status, body }: Json) => ({ status, code: body.errors?.[0].extensions.code });
const fieldsOf = ({ body }: Json) => body.errors?.[0].extensions.errors;
const rowsOf = (companyId: string) =>
  world.sql('SELECT * FROM webhooks WHERE company_id = $1 ORDER BY slot', [companyId]);

const run = ({ token }: { token: string }, document: string, input: Json) => world.graphql(token, document, { input });

/** Attempts that failed as many seconds ago. */
const failed = (companyId: string, id: string, secondsAgo: number[], event = 'e') =>
  world.sql(
    `INSERT INTO webhook_attempts (company_id, webhook_id, event_id, type, attempt, outcome, milliseconds, status, response, attempted_at)
     SELECT $1, $2, $3, 'ping', 1, 'failed', 3, 500, 'no', now() - make_interval(secs => seconds) FROM unnest($4::int[]) seconds`,
    [companyId, id, event, secondsAgo],
  );

async function created(token: string, input: Json = {}, at = world) {
  const { body } = await at.graphql(token, create, { input: { url, ...input } });
  return { ...body.data.createWebhook.webhook, secret: body.data.createWebhook.secret };
}

describe('a webhook', () => {
  test('is made by an owner, starts now, and is seen by all owners', async () => {
    const { company, owner } = await owned();
    await world.sql('UPDATE companies SET last_sequence = 7 WHERE id = $1', [company.companyId]);
    const { secret, id, ...webhook } = await created(owner.token);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      url,
      actions: null,
      exceptOrigins: [],
      state: 'ACTIVE',
      position: 7,
      lag: 0,
      disabledReason: null,
      retrying: 0,
      attempts: { nodes: [] },
    });
    const other = await world.person(company, { isOwner: true });
    const { body } = await world.graphql(other.readOnlyToken, list);
    expect(body).toEqual({ data: { webhooks: [{ id, url }] } });
  });

  test('can start after a given event, with some actions only', async () => {
    const { company, owner } = await owned();
    await world.sql('UPDATE companies SET last_sequence = 7 WHERE id = $1', [company.companyId]);
    const webhook = await created(owner.token, {
      afterSequence: 3,
      actions: ['GOAL_REOPENED', 'GOAL_CLOSED', 'GOAL_CLOSED'],
      exceptOrigins: ['IMPORT', 'IMPORT'],
    });
    expect(webhook).toMatchObject({
      position: 3,
      lag: 4,
      actions: ['GOAL_REOPENED', 'GOAL_CLOSED'],
      exceptOrigins: ['IMPORT'],
    });
    const late = await run(owner, create, { url, afterSequence: 8 });
    expect(outcome(late)).toEqual({ status: 400, code: 'BAD_USER_INPUT' });
    expect(fieldsOf(late)).toEqual([
      { field: 'input.afterSequence', code: 'too_large', message: 'must be at most 7, the sequence of the last event' },
    ]);
  });

  test.each(['createWebhook', 'rotateWebhookSecret'])(
    'the stored outcome of %s with a key has no secret',
    async (name) => {
      const { owner } = await owned();
      const headers = { 'idempotency-key': `key-${name}` };
      const { id } = await created(owner.token);
      const [document, input] = name === 'createWebhook' ? [create, { url }] : [rotate, { id }];
      const first = await world.graphql(owner.token, document, { input }, headers);
      const again = await world.graphql(owner.token, document, { input }, headers);
      expect(first.body.data[name].secret).toMatch(/^whsec_/);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.body.data[name]).toEqual({ ...first.body.data[name], secret: null });
      const kept = await world.sql('SELECT result FROM idempotency_keys WHERE key = $1', [headers['idempotency-key']]);
      expect(kept).toHaveLength(1);
      expect(kept[0]?.result).not.toContain('whsec_');
    },
  );

  test('there are at most twenty, also if thirty are made at once', async () => {
    const { company, owner } = await owned();
    const calls = Array.from({ length: 30 }, () => run(owner, create, { url }));
    const outcomes = (await Promise.all(calls)).map(outcome);
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(outcomes.filter(({ code }) => code === 'TOO_MANY_WEBHOOKS')).toHaveLength(10);
    const rows = await rowsOf(company.companyId);
    expect(rows.map(({ slot }) => slot)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    await run(owner, remove, { id: rows[4]?.id });
    expect((await run(owner, create, { url })).status).toBe(200);
  });

  test('is deleted once, with its log', async () => {
    const { company, owner } = await owned();
    const { id } = await created(owner.token);
    await failed(company.companyId, id, [0]);
    const calls = [1, 2, 3].map(() => run(owner, remove, { id }));
    const outcomes = (await Promise.all(calls)).map(outcome);
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(outcomes.filter(({ code }) => code === 'NOT_FOUND')).toHaveLength(2);
    expect(await world.sql('SELECT id FROM webhook_attempts WHERE webhook_id = $1', [id])).toEqual([]);
  });
});

test('a webhook says whether its endpoint fails, until when it waits, and how many events wait for a retry', async () => {
  const { company, owner } = await owned();
  const [one, other] = [await created(owner.token), await created(owner.token)];
  const retries = (id: string, count: number, once: boolean) =>
    world.sql(
      "INSERT INTO webhook_retries (company_id, webhook_id, record, once, sequence, next_attempt_at, last_error) SELECT $1, $2, 'goal ' || $4::boolean || n, $4, 1, now(), CASE WHEN NOT $4 THEN 'status 500' END FROM generate_series(1, $3::integer) n",
      [company.companyId, id, count, once],
    );
  await Promise.all([retries(one.id, 2, false), retries(one.id, 3, true), retries(other.id, 1, false)]);
  const at = async (values: string) => {
    await world.sql(`UPDATE webhooks SET ${values} WHERE id = $1`, [one.id]);
    const read = 'query ($id: ID!) { webhook(id: $id) { state waitsUntil retrying } }';
    return (await world.graphql(owner.token, read, { id: one.id })).body.data.webhook;
  };
  expect(await at("waits = 1, wait_until = now() + interval '1 hour'")).toEqual({
    state: 'FAILING',
    waitsUntil: expect.any(String),
    retrying: 2,
  });
  expect(await at("wait_until = now() - interval '1 second'")).toMatchObject({ state: 'FAILING', waitsUntil: null });
  const disabled = "wait_until = now() + interval '1 hour', disabled_at = now(), disabled_reason = 'failing'";
  expect(await at(disabled)).toMatchObject({ state: 'DISABLED', waitsUntil: null });
});

describe('updateWebhook', () => {
  test('changes what is given, and nothing else', async () => {
    const { company, owner } = await owned();
    const { id } = await created(owner.token, { actions: ['GOAL_CLOSED'] });
    const change = async (input: Json) => (await run(owner, update, { id, ...input })).body.data.updateWebhook.webhook;
    expect(await change({})).toMatchObject({ url, actions: ['GOAL_CLOSED'], state: 'ACTIVE' });
    expect(await change({ enabled: false })).toMatchObject({ state: 'DISABLED', disabledReason: 'OWNER' });
    expect(await change({ url: 'https://example.org/' })).toMatchObject({
      url: 'https://example.org/',
      state: 'DISABLED',
    });
    expect(await change({ actions: ['GOAL_REOPENED', 'GOAL_REOPENED'] })).toMatchObject({ actions: ['GOAL_REOPENED'] });
    expect(await change({ actions: null })).toMatchObject({ actions: null });
    expect(await change({ exceptOrigins: ['IMPORT', 'APPLICATION', 'IMPORT'] })).toMatchObject({
      exceptOrigins: ['IMPORT', 'APPLICATION'],
    });
    expect(await change({ url })).toMatchObject({ exceptOrigins: ['IMPORT', 'APPLICATION'] });
    expect(await change({ exceptOrigins: null })).toMatchObject({ exceptOrigins: [] });
    await world.sql(
      'UPDATE webhooks SET failures = 9, waits = 2, failing_since = now(), wait_until = now() WHERE id = $1',
      [id],
    );
    expect(await change({ enabled: true })).toMatchObject({
      state: 'ACTIVE',
      disabledReason: null,
      failingSince: null,
    });
    expect((await rowsOf(company.companyId))[0]).toMatchObject({ failures: 0, waits: 0, wait_until: null });
  });

  test('moves the position back, forgets its retries alone, and begins a new epoch', async () => {
    const { company, owner } = await owned();
    await world.sql('UPDATE companies SET last_sequence = 9 WHERE id = $1', [company.companyId]);
    const [{ id }, other] = [await created(owner.token), await created(owner.token)];
    const retryOf = (webhookId: string, once: boolean) =>
      world.sql(
        "INSERT INTO webhook_retries (company_id, webhook_id, record, once, sequence, next_attempt_at) VALUES ($1, $2, 'goal g' || $3::boolean, $3, 4, now()) RETURNING webhook_id || record AS row",
        [company.companyId, webhookId, once],
      );
    await retryOf(id, false);
    const kept = [await retryOf(id, true), await retryOf(other.id, false)].flat().map(({ row }) => row);
    await run(owner, update, { id, actions: null });
    const left = async () => {
      const rows = await world.sql('SELECT webhook_id || record AS row FROM webhook_retries WHERE company_id = $1', [
        company.companyId,
      ]);
      return rows.map(({ row }) => row).sort();
    };
    expect(await left()).toHaveLength(3);
    const { body } = await run(owner, replay, { id, afterSequence: 2 });
    expect(body.data.replayWebhook.webhook).toMatchObject({ position: 2 });
    expect(await left()).toEqual(kept.sort());
    const rows = await rowsOf(company.companyId);
    expect(rows.find((row) => row.id === id)).toMatchObject({ epoch: 2 });
    expect(outcome(await run(owner, replay, { id, afterSequence: 10 })).code).toBe('BAD_USER_INPUT');
  });

  test('makes a new secret; the old one signs for a day more, unless it is not wanted', async () => {
    const { owner } = await owned();
    const { id, secret } = await created(owner.token);
    const change = async (input: Json) => (await run(owner, rotate, { id, ...input })).body.data.rotateWebhookSecret;
    const first = await change({});
    expect(first.secret).not.toBe(secret);
    const hours = (Date.parse(first.webhook.oldSecretUntil) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
    const ended = await run(owner, update, { id, endOldSecrets: true });
    expect(ended.body.data.updateWebhook.webhook.oldSecretUntil).toBe(null);
    await change({});
    const second = await change({ endOldSecrets: true });
    expect(second.webhook.oldSecretUntil).toBe(null);
    expect(new Set([secret, first.secret, second.secret]).size).toBe(3);
  });

  test('keeps each old secret for its day, and refuses a new one when there are too many', async () => {
    const { company, owner } = await owned();
    const { id } = await created(owner.token);
    const change = (input: Json) => run(owner, rotate, { id, ...input });
    const untilOf = async (): Promise<Date[]> => (await rowsOf(company.companyId))[0]?.previous_until;
    await change({});
    const [first] = await untilOf();
    for (let count = 2; count <= 5; count += 1) expect((await change({})).status).toBe(200);
    expect((await untilOf())[4]).toEqual(first);
    const { headers, ...refused } = await change({});
    expect(outcome(refused)).toEqual({ status: 429, code: 'RATE_LIMITED' });
    expect(refused.body.errors[0].extensions.limit).toBe('secrets');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(23 * 3600);
    expect((await rowsOf(company.companyId))[0]).toMatchObject({ generation: 6 });
    const unknown = await run(owner, rotate, { id: 'unknown' });
    expect(outcome(unknown)).toEqual({ status: 404, code: 'NOT_FOUND' });
    expect((await change({ endOldSecrets: true })).status).toBe(200);
    expect(await untilOf()).toEqual([]);
  });
});

describe('pingWebhook and redeliverWebhookEvent', () => {
  test('queues a ping or an event, to be sent at once', async () => {
    const { company, owner } = await owned();
    const space = await world.space(company, [owner]);
    const goal = await world.goal(space);
    await world.draft(await world.hub(company, { spaceId: space.id }), owner);
    const activity = await world.activity(owner, { action: 'goal_closed', goalId: goal.id, sequence: 1 });
    const { id } = await created(owner.token);
    const ping = await run(owner, send, { id });
    const event = await run(owner, redeliver, { id, eventId: activity.id });
    expect(event.body.data.redeliverWebhookEvent).toEqual({ eventId: activity.id, webhook: { id } });
    const rows = await world.sql(
      'SELECT record, once, sequence::int FROM webhook_retries WHERE webhook_id = $1 ORDER BY record',
      [id],
    );
    expect(rows).toEqual([
      { record: ping.body.data.pingWebhook.eventId, once: true, sequence: null },
      { record: expect.any(String), once: true, sequence: 1 },
    ]);
  });

  test('refuses events that nobody hears of, and more than it will ever send', async () => {
    const { company, owner } = await owned();
    const { id } = await created(owner.token);
    const hub = await world.hub(company, { spaceId: (await world.space(company)).id });
    const draft = await world.draft(hub, owner);
    const action = 'resource_hub_document_created';
    const secretly = await world.activity(owner, { action, documentId: draft.id, sequence: 1 });
    for (const eventId of ['unknown', secretly.id])
      expect(outcome(await run(owner, redeliver, { id, eventId }))).toEqual({
        status: 404,
        code: 'NOT_FOUND',
      });
    const fill = (webhookId: string) =>
      world.sql(
        "INSERT INTO webhook_retries (company_id, webhook_id, record, once, next_attempt_at) SELECT $1, $2, 'once ' || n, true, now() FROM generate_series(1, 100) n",
        [company.companyId, webhookId],
      );
    await fill((await created(owner.token)).id);
    expect((await run(owner, send, { id })).status).toBe(200);
    await world.sql('DELETE FROM webhook_retries WHERE webhook_id = $1', [id]);
    await fill(id);
    for (const waits of [0, 1]) {
      await world.sql('UPDATE webhooks SET waits = $2 WHERE id = $1', [id, waits]);
      const { headers, ...full } = await run(owner, send, { id });
      expect(outcome(full)).toEqual({ status: 429, code: 'RATE_LIMITED' });
      expect(full.body.errors[0].extensions.limit).toBe('queue');
      expect(headers.get('retry-after')).toBe('10');
    }
  });

  test('refuses more than ten failures a minute to an endpoint that only fails', async () => {
    const { company, owner } = await owned();
    await created(owner.token);
    const { id } = await created(owner.token);
    await failed(company.companyId, id, [...Array(9).fill(5), ...Array(9).fill(65)]);
    await world.sql('UPDATE webhooks SET failures = 9, waits = 1 WHERE id = $1', [id]);
    const ping = () => run(owner, send, { id });
    expect((await ping()).status).toBe(200);
    const { headers, ...refused } = await ping();
    expect(outcome(refused)).toEqual({ status: 429, code: 'RATE_LIMITED' });
    expect(refused.body.errors[0].extensions.limit).toBe('pings');
    expect(headers.get('retry-after')).toBe('60');
    await world.sql('UPDATE webhooks SET failures = 0, waits = 0 WHERE id = $1', [id]);
    expect((await ping()).status).toBe(200);
  });
});

describe('the log of attempts', () => {
  test('is a connection, newest first, of this webhook alone', async () => {
    const { company, owner } = await owned();
    const [one, other] = [await created(owner.token), await created(owner.token)];
    await failed(company.companyId, one.id, [9], 'a');
    await failed(company.companyId, one.id, [8], 'b');
    await failed(company.companyId, other.id, [7], 'c');
    const { body } = await world.graphql(owner.token, look, { id: one.id });
    const entry = { outcome: 'FAILED', status: 500, response: 'no' };
    expect(body.data.webhook.attempts).toEqual({
      nodes: [
        { eventId: 'b', ...entry },
        { eventId: 'a', ...entry },
      ],
      totalCount: 2,
    });
  });
});

describe('who may', () => {
  const calls = (id: string): [string, string, Json][] => [
    ['webhooks', list, {}],
    ['webhook', look, { id }],
    ['createWebhook', create, { input: { url } }],
    ['updateWebhook', update, { input: { id, enabled: false } }],
    ['rotateWebhookSecret', rotate, { input: { id } }],
    ['replayWebhook', replay, { input: { id, afterSequence: 0 } }],
    ['pingWebhook', send, { input: { id } }],
    ['deleteWebhook', remove, { input: { id } }],
  ];
  type Who = Awaited<ReturnType<typeof owned>>;
  const cases: [string, (who: Who) => string, (isQuery: boolean) => Json][] = [
    ['a member', ({ member }) => member.token, () => ({ status: 403, code: 'OWNER_REQUIRED' })],
    [
      'a member with a read-only token',
      ({ member }) => member.readOnlyToken,
      (isQuery) => ({ status: 403, code: isQuery ? 'OWNER_REQUIRED' : 'READ_ONLY_TOKEN' }),
    ],
    [
      'an owner with a read-only token',
      ({ owner }) => owner.readOnlyToken,
      (isQuery) => (isQuery ? { status: 200 } : { status: 403, code: 'READ_ONLY_TOKEN' }),
    ],
    ['nobody', () => 'gp_nobody', () => ({ status: 401, code: 'UNAUTHENTICATED' })],
  ];
  test.each(cases)('%s', async (_, tokenOf, expected) => {
    const who = await owned();
    const id = await insertWebhook(world, who.company.companyId, url);
    const before = await rowsOf(who.company.companyId);
    for (const [name, document, variables] of calls(id)) {
      const answer = await world.graphql(tokenOf(who), document, variables, {
        accept: 'application/graphql-response+json',
      });
      const wanted = { code: undefined, ...expected(name.startsWith('webhook')) };
      // A query that fails in a nullable field is answered in part.
      if (name.startsWith('webhook') && wanted.status === 403) wanted.status = 200;
      expect([name, outcome(answer)]).toEqual([name, wanted]);
      if (answer.status !== 200) expect(await rowsOf(who.company.companyId)).toEqual(before);
    }
  });

  test.each([
    ['is_owner = false', 'OWNER_REQUIRED'],
    ['suspended_at = now()', 'UNAUTHENTICATED'],
  ])('an owner no more (%s) when the write comes: %s, and nothing changes', async (loss, code) => {
    const { company, owner } = await owned();
    const id = await insertWebhook(world, company.companyId, url);
    const { id: goalId } = await world.goal(await world.space(company));
    const activity = await world.activity(owner, { action: 'goal_closed', goalId, sequence: 1 });
    const before = await rowsOf(company.companyId);
    const { query } = pg.Client.prototype;
    const writes = /^\s*WITH.*(INSERT INTO|UPDATE|DELETE FROM) webhooks/s;
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: Json[]) {
      const sql = given[0]?.text ?? given[0];
      const ask = () => Reflect.apply(query, this, given);
      if (!writes.test(sql)) return ask() as never;
      return world.sql(`UPDATE people SET ${loss} WHERE id = $1`, [owner.id]).then(ask) as never;
    });
    onTestFinished(() => spy.mockRestore());
    const changes = calls(id).filter(([name]) => !name.startsWith('webhook'));
    for (const [name, document, variables] of [
      ...changes,
      ['redeliverWebhookEvent', redeliver, { input: { id, eventId: activity.id } }] as const,
    ]) {
      await world.sql('UPDATE people SET is_owner = true, suspended_at = NULL WHERE id = $1', [owner.id]);
      expect([name, outcome(await world.graphql(owner.token, document, variables)).code]).toEqual([name, code]);
    }
    expect(await rowsOf(company.companyId)).toEqual(before);
    expect(await world.sql('SELECT record FROM webhook_retries WHERE webhook_id = $1', [id])).toEqual([]);
  });

  test('an owner of another company finds none of it', async () => {
    const { company } = await owned();
    const stranger = await owned();
    const id = await insertWebhook(world, company.companyId, url);
    const before = await rowsOf(company.companyId);
    for (const [name, document, variables] of calls(id).filter(
      ([call]) => !['webhooks', 'createWebhook'].includes(call),
    ))
      expect([name, outcome(await world.graphql(stranger.owner.token, document, variables)).code]).toEqual([
        name,
        'NOT_FOUND',
      ]);
    expect((await world.graphql(stranger.owner.token, list)).body.data.webhooks).toEqual([]);
    expect(await rowsOf(company.companyId)).toEqual(before);
  });

  test('a member gets the rest of a query, and learns from viewer whether to ask for webhooks', async () => {
    const { owner, member } = await owned();
    const ask = async (token: string) =>
      (await world.graphql(token, '{ viewer { isOwner companyId token { canWrite } } webhooks { id } }')).body;
    const { companyId } = owner;
    expect(await ask(owner.readOnlyToken)).toEqual({
      data: { viewer: { isOwner: true, companyId, token: { canWrite: false } }, webhooks: [] },
    });
    expect(await ask(member.token)).toEqual({
      data: { viewer: { isOwner: false, companyId, token: { canWrite: true } }, webhooks: null },
      errors: [expect.objectContaining({ path: ['webhooks'] })],
    });
  });
});

describe('bad input changes nothing', () => {
  const badUrls: [string, string][] = [
    ['no URL', 'example.com/hook'],
    ['http to a public address', 'http://93.184.216.34/'],
    ['a password', 'https://me:secret@example.com/'],
    ['a fragment', 'https://example.com/#x'],
    ['a port that nothing has', 'https://example.com:0/'],
    ['this gateway', 'https://api.example.com/graphql'],
    ['this gateway by its name here', 'http://localhost:4000/'],
    ['this gateway, with a dot behind its name', 'https://api.example.com./'],
    ['this gateway, as IPv6 spells its address', 'http://[::ffff:127.0.0.1]:4000/'],
    ['this gateway by another address of this machine', 'http://127.8.9.10:4000/'],
    ['a private address', 'https://10.0.0.1/'],
    ['too many characters', `https://example.com/${'x'.repeat(2100)}`],
  ];
  test.each(badUrls)('a URL with %s', async (_, bad) => {
    const { company, owner } = await owned();
    const { id } = await created(owner.token);
    const before = await rowsOf(company.companyId);
    for (const [document, input] of [
      [create, { url: bad }],
      [update, { id, url: bad }],
    ] as const) {
      const answer = await run(owner, document, input);
      expect(outcome(answer)).toEqual({ status: 400, code: 'BAD_USER_INPUT' });
      expect(fieldsOf(answer)).toEqual([expect.objectContaining({ field: 'input.url' })]);
      expect(await rowsOf(company.companyId)).toEqual(before);
    }
  });

  test('every address and the name of a machine on which the gateway listens on all', () => {
    const config = { webhookKeys: [], webhookAllow: [], publicUrl: undefined, host: '0.0.0.0', port: 4000 };
    const { own } = webhookRules(config as never, undefined);
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const hosts = addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
    for (const host of ['127.0.0.1', '0.0.0.0', hostname(), ...hosts])
      expect(urlProblem(`http://${host}:4000/`, { open: new OpenAddresses(['0.0.0.0/0']), own })?.message).toBe(
        'must not be the address of this gateway',
      );
  });

  test('a URL with http and a name, unless ranges are open to which it may lead', async () => {
    const { owner } = await owned();
    const input = { url: 'http://receiver.internal/' };
    expect((await run(owner, create, input)).status).toBe(200);
    const closed = new World(world.db, world.url, { webhooks: { ...rules, allow: [] } });
    expect(fieldsOf(await closed.graphql(owner.token, create, { input }))).toEqual([
      { field: 'input.url', code: 'invalid', message: 'must be an https:// URL' },
    ]);
  });

  test('an unknown action', async () => {
    const { company, owner } = await owned();
    const answer = await run(owner, create, { url, actions: ['GOAL_EATEN'] });
    expect(outcome(answer)).toEqual({ status: 400, code: 'BAD_USER_INPUT' });
    expect(fieldsOf(answer)[0].field).toBe('input.actions[0]');
    expect(await rowsOf(company.companyId)).toEqual([]);
  });
});

test('a gateway without a key makes and sends nothing, and shows and deletes what there is', async () => {
  const { owner, company } = await owned();
  const id = await insertWebhook(world, company.companyId, url);
  const without = world.twin();
  for (const [document, input] of [
    [create, { url }],
    [rotate, { id }],
    [send, { id }],
  ] as const) {
    const answer = await without.graphql(owner.token, document, { input });
    expect(outcome(answer)).toEqual({ status: 501, code: 'NOT_CONFIGURED' });
  }
  expect((await without.graphql(owner.token, list)).body.data.webhooks).toEqual([{ id, url }]);
  expect((await without.graphql(owner.token, remove, { input: { id } })).status).toBe(200);
});
