import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type GraphQLField,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { databaseTables, openModels } from '../../src/database.js';
import { undoChanges } from '../../src/operations/undo.js';
import { plannedPlacements } from '../../src/platform/administration/distribution.js';
import { SessionClient } from '../../src/platform/postgres/session.js';
import { schema } from '../../src/schema.js';
import { createToken } from '../../src/tokens.js';
import { Agent } from '../../test/support/agent.js';
import { noted } from '../../test/support/companyBinding.js';
import { insertWebhook, startDeliveries, thisMachine, until, webhookKey } from '../../test/support/deliveries.js';
import { pathOf } from '../../test/support/documents.js';
import { commandOutput, importFileOf } from '../../test/support/goalpost.js';
import { openStream } from '../../test/support/openStream.js';
import { query } from '../../test/support/query.js';
import { acknowledge, refuse, startReceiver } from '../../test/support/receiver.js';
import { startServer } from '../../test/support/server.js';
import { isFirst, statementsIn } from '../../test/support/statements.js';
import { type Answer, type Json, restPaths, World } from '../../test/support/world.js';
import { Ledger } from '../consistency/ledger.js';
import { companiesByWorker, whileLost, workerUrls } from './citusNodes.js';

// An empty database on the coordinator of a Citus with workers. Without one, nothing here runs.
const url = process.env.CITUS_URL ?? '';
const companies = ['first', 'second'];
const copies = 32;

/** The demo workspace with more to race for. Every id is the same in both companies. */
async function workspaceOf(company: string): Promise<Json> {
  const demo: Json = JSON.parse(await readFile(pathOf('prisma/demo-workspace.json'), 'utf8'));
  const isClosed = (goal: Json) => goal.closed_at && !goal.archived_at;
  const closed = demo.goals.find(isClosed);
  const file = demo.files.find(({ deleted_at }: Json) => !deleted_at);
  const document = demo.documents.find(({ versions }: Json) => versions.length > 2);
  const bare = { comments: [], reactions: [], activities: [], subscription_list: null };
  return {
    ...demo,
    company: { ...demo.company, id: company },
    goals: [
      ...demo.goals,
      ...['reopen', 'reopen-again'].map((id) => ({
        ...{ id, space_id: closed.space_id, name: id, access_levels: closed.access_levels },
        ...{ closed_at: '2026-05-01T00:00:00Z', success: true, access: closed.access?.map(withoutId) },
      })),
    ],
    files: [...demo.files, { ...file, ...bare, id: 'delete', blob: withoutId(file.blob) }],
    documents: [
      ...demo.documents.map((record: Json) => ({ ...record, public_token: null })),
      ...['restore', 'restore-with-keys'].map((id) => ({
        ...{ ...document, ...bare, id, public_token: null },
        versions: document.versions.map(withoutId),
      })),
    ],
  };
}

/** What was sent, with the values it first had. */
const sent = new Map<string, unknown[]>();

/** Notes what the gateways of this process send. */
function noteStatements(): void {
  const query = SessionClient.prototype.query as (...given: unknown[]) => unknown;
  vi.spyOn(SessionClient.prototype, 'query').mockImplementation(function (this: SessionClient, ...given: unknown[]) {
    for (const { text, values } of statementsIn(...given))
      if (!isFirst(text) && !sent.has(text)) sent.set(text, values);
    return query.apply(this, given);
  } as never);
}

const withoutId = ({ id: _, ...record }: Json) => record;

describe.skipIf(url === '')('on a Citus coordinator (CITUS_URL)', () => {
  let world: World;
  let other: World;
  const tokens: Record<string, string> = {};
  let documents: Record<string, Json> = {};

  const command = (...args: string[]) => commandOutput(args, { DATABASE_URL: url });

  beforeAll(async () => {
    await command('migrate');
    for (const company of companies) {
      const document = await workspaceOf(company);
      documents = { ...documents, [company]: document };
      await importFileOf(document, { DATABASE_URL: url });
      // The tables have rows then; the second company is imported into tables that are placed.
      if (company === 'first') await command('distribute', '--yes');
      const { id } = document.people.find((person: Json) => person.is_owner);
      const named = ['--person', id, '--company', company, '--name', 'distributed', '--write'];
      tokens[company] = await command('token', 'create', ...named);
    }
    noteStatements();
    world = new World(openModels({ url, poolSize: 20, preparedStatements: true }), url, {
      webhooks: { keys: [webhookKey], allow: thisMachine, own: [] },
      queryLimits: { complexity: 50_000 },
    });
    other = new World(openModels({ url, poolSize: 20, preparedStatements: true }), url);
    for (const company of companies) await world.graphql(tokens[company] ?? '', '{ viewer { token { id } } }');
  }, 300_000);

  afterAll(async () => {
    await other?.close();
    await world?.close();
    vi.restoreAllMocks();
  });

  test('goalpost serve starts, and answers REST and GraphQL', async () => {
    const { client, announced, stop } = await startServer({ DATABASE_URL: url, FILE_RETENTION_DAYS: '90' });
    onTestFinished(stop);
    expect(announced.next).toEqual([]);
    const token = tokens.first ?? '';
    const reopened = await client.post(restPaths.reopenGoal, token, { id: 'goal-launch-mobile-app' });
    expect(reopened).toMatchObject({ status: 200, body: { goal: { is_closed: false } } });
    const asked = await client.graphql(token, '{ goal(id: "goal-launch-mobile-app") { isClosed } }');
    expect(asked.body).toEqual({ data: { goal: { isClosed: false } } });
    expect((await client.fetch('/readyz')).status).toBe(200);
    expect(await command('check')).toContain('it is migrated');
    expect(await command('token', 'list')).toContain('distributed');
    expect(await command('purge', '--older-than', '1d')).toContain('deleted at');
  });

  test('goalpost serve purges old outcomes and attempts of every company', async () => {
    for (const company of companies) {
      const id = await insertWebhook(world, company, 'https://example.com/', {
        slot: 19,
        disabled_at: new Date(),
        disabled_reason: 'owner',
      });
      const old = "now() - interval '9 days'";
      await query(
        url,
        `INSERT INTO webhook_attempts (company_id, webhook_id, event_id, type, attempt, outcome, milliseconds, attempted_at)
        VALUES ('${company}', '${id}', 'e', 'ping', 1, 'failed', 1, ${old})`,
      );
      const [token] = await query(url, `SELECT id FROM api_tokens WHERE company_id = '${company}' LIMIT 1`);
      await query(
        url,
        `INSERT INTO idempotency_keys (company_id, token_id, operation, key, fingerprint, result, expires_at)
        VALUES ('${company}', '${token?.id}', 'reopenGoal', 'old', '', '{}', ${old})`,
      );
    }
    const { stop } = await startServer({ DATABASE_URL: url });
    onTestFinished(stop);
    const left = () =>
      query(
        url,
        `SELECT (SELECT count(*)::int FROM webhook_attempts) + (SELECT count(*)::int FROM idempotency_keys) AS rows`,
      );
    await until(left, ([row]) => row?.rows === 0);
  });

  test('goalpost serve starts while a worker is lost, and only the companies of that worker get 503', async () => {
    const byWorker = await companiesByWorker(url);
    for (const worker of await workerUrls(url)) {
      const lost = byWorker.get(Number(new URL(worker).port)) ?? new Set();
      const started = await whileLost(worker, async () => {
        const { client, announced, stop } = await startServer({ DATABASE_URL: url }, { quiet: true });
        const ask = (company: string) => client.graphql(tokens[company] ?? '', '{ goals(first: 1) { totalCount } }');
        const answers = await Promise.all(companies.map(ask)).finally(stop);
        return { next: announced.next, statuses: answers.map(({ status }) => status) };
      });
      expect(started).toEqual({ next: [], statuses: companies.map((company) => (lost.has(company) ? 503 : 200)) });
    }
  });

  test('while a worker is lost, the others deliver, and what was under way there goes on afterwards', async () => {
    const byWorker = await companiesByWorker(url);
    expect(byWorker.size).toBeGreaterThan(1);
    const { stop, dispatcher } = startDeliveries(world);
    onTestFinished(stop);
    const happen = (company: string, count: number) =>
      query(
        url,
        `INSERT INTO activities (company_id, action, author_id, goal_id, name)
         SELECT $1, 'goal_closed', $2, id, 'Closed' FROM goals, generate_series(1, ${count}) WHERE company_id = $1 AND id NOT LIKE 'reopen%' RETURNING id`,
        [company, documents[company].people[0].id],
      );
    const lastOf = async (company: string) =>
      Number((await query(url, 'SELECT last_sequence AS last FROM companies WHERE id = $1', [company]))[0]?.last);
    const webhooks: Record<string, { id: string; ledger: Ledger; first: number }> = {};
    for (const company of companies) {
      await until(
        () => query(url, 'SELECT id FROM activities WHERE company_id = $1 AND sequence IS NULL', [company]),
        (rows) => rows.length === 0,
      );
      const [ledger, first] = [new Ledger(), await lastOf(company)];
      const endpoint = await startReceiver((received, response) => {
        ledger.receive(received);
        setTimeout(() => {
          ledger.acknowledged.add(received.sequence);
          acknowledge(received, response);
        }, 20);
      });
      onTestFinished(endpoint.close);
      const id = await insertWebhook(world, company, endpoint.url, { slot: 18, position: first, attempted: first });
      webhooks[company] = { id, ledger, first };
    }
    for (const [worker, lost] of byWorker) {
      const [workerUrl = ''] = (await workerUrls(url)).filter((each) => Number(new URL(each).port) === worker);
      const [gone = '', [other = ''] = []] = [[...lost][0], companies.filter((company) => !lost.has(company))];
      await happen(gone, 30);
      dispatcher.changed(gone);
      await until(
        async () => webhooks[gone]?.ledger.acknowledged.size ?? 0,
        (size) => size > 20,
      );
      const seconds = await whileLost(workerUrl, async () => {
        const before = webhooks[other]?.ledger.acknowledged.size ?? 0;
        const since = performance.now();
        const { length } = await happen(other, 1);
        await until(
          async () => webhooks[other]?.ledger.acknowledged.size ?? 0,
          (size) => size >= before + length,
        );
        return (performance.now() - since) / 1000;
      });
      console.log(`${gone} lost: ${other} has its events after ${seconds.toFixed(1)} s`);
      const left = async () =>
        (await query(url, 'SELECT position, locked_by FROM webhooks WHERE company_id = $1 AND slot = 18', [gone]))[0];
      await until(
        left,
        (row) => row?.locked_by === null && Number(row?.position) > (webhooks[gone]?.first ?? 0),
        60_000,
      );
    }
    for (const company of companies) {
      const { ledger, first, id } = webhooks[company] ?? { ledger: new Ledger(), first: 0, id: '' };
      const last = await lastOf(company);
      await until(
        async () => ledger.acknowledged.size,
        (size) => size === last - first,
        60_000,
      );
      expect(ledger.problems).toEqual([]);
      await query(url, 'DELETE FROM webhooks WHERE company_id = $1 AND id = $2', [company, id]);
    }
  }, 240_000);

  test('every table with rows in it is placed, and again there is nothing to do', async () => {
    expect(await plannedPlacements(url, databaseTables)).toEqual([]);
    const rows = await query(url, 'SELECT count(*)::int AS n FROM people');
    expect(rows).toEqual([{ n: companies.length * documents.first.people.length }]);
    // Citus cannot move an unlogged table to another node while it is used.
    expect(await query(url, "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'")).toEqual([]);
  });

  test('on a worker, without workers, and for a role that owns nothing, nothing is placed', async () => {
    const at = (changes: Partial<URL>) => Object.assign(new URL(url), changes).href;
    const [worker] = await query(url, 'SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 LIMIT 1');
    const onWorker = at({ hostname: `${worker?.nodename}`, port: `${worker?.nodeport}` });
    await expect(plannedPlacements(onWorker, databaseTables)).rejects.toThrow('This is a worker.');

    const lonely = `lonely_${Date.now()}`;
    await query(url, `CREATE DATABASE ${lonely}`);
    await query(at({ pathname: lonely }), 'CREATE EXTENSION citus');
    await expect(plannedPlacements(at({ pathname: lonely }), databaseTables)).rejects.toThrow(
      'The coordinator has no workers.',
    );
    await query(url, `DROP DATABASE ${lonely} WITH (FORCE)`);

    await query(url, 'DO $$ BEGIN CREATE ROLE goalpost_stranger LOGIN; EXCEPTION WHEN duplicate_object THEN END $$');
    const asStranger = plannedPlacements(at({ username: 'goalpost_stranger' }), databaseTables);
    await expect(asStranger).rejects.toThrow('This role does not own the table');
  });

  describe.each(companies)('the company %s', (company) => {
    const idOf: Record<string, string> = {
      goal: 'reopen',
      space: 'space-digital',
      resourceHubFile: 'delete',
      resourceHubDocument: 'restore',
      webhook: 'hook',
    };
    beforeAll(() =>
      insertWebhook(world, company, 'https://example.com/', {
        id: 'hook',
        slot: 20,
        disabled_at: new Date(),
        disabled_reason: 'owner',
      }),
    );

    // What may be taken back is there later.
    const { previewUndoChange, ...reads } = schema.getQueryType()?.getFields() ?? {};
    test.each(Object.values(reads))('reads $name with all it has', async (field) => {
      const ids = {
        ...idOf,
        resourceHub: documents[company].resource_hubs[0].id,
        resourceHubFolder: documents[company].folders[0].id,
      };
      const text = `{ ${selectionOf(field, 4, ids)} }`;
      const answer = await world.graphql(tokens[company] ?? '', text);
      expect(answer.body.errors).toBeUndefined();
      expect(answer.body.data[field.name]).not.toBeNull();
    });

    test('has its events streamed', async () => {
      world.startDispatcher();
      const token = tokens[company] ?? '';
      const stream = await openStream(await world.base(), token);
      onTestFinished(() => stream.close());
      const [{ id: author } = {}] = documents[company].people;
      await query(
        url,
        `INSERT INTO activities (company_id, action, author_id, goal_id, name)
        VALUES ('${company}', 'goal_closed', '${author}', 'goal-launch-mobile-app', 'Closed')`,
      );
      expect(await stream.events(1)).toMatchObject([{ type: 'GOAL_CLOSED' }]);
    });

    test('has its webhooks managed, and its events delivered in the order of each record', async () => {
      const endpoint = await startReceiver();
      const { stop } = startDeliveries(world);
      onTestFinished(async () => {
        await stop();
        await endpoint.close();
      });
      const manage = async (call: string) => {
        const { body } = await world.graphql(tokens[company] ?? '', `mutation { ${call} }`);
        expect(body.errors).toBeUndefined();
        return body.data;
      };
      const { createWebhook } = await manage(
        `createWebhook(input: { url: "${endpoint.url}", afterSequence: 0 }) { secret webhook { id attempts { totalCount } } }`,
      );
      const { webhook, secret } = createWebhook;
      endpoint.verifyWith(secret);
      const [{ last } = {}] = await query(url, 'SELECT last_sequence::int AS last FROM companies WHERE id = $1', [
        company,
      ]);
      const own = () => query(url, 'SELECT * FROM webhooks WHERE company_id = $1 AND id = $2', [company, webhook.id]);
      await until(own, ([row]) => row?.locked_by === null && Number(row?.position) === last);
      expect(endpoint.received.length).toBeGreaterThan(5);

      endpoint.respondWith(refuse(500));
      await manage(`rotateWebhookSecret(input: { id: "${webhook.id}" }) { secret }`);
      await manage(`replayWebhook(input: { id: "${webhook.id}", afterSequence: 0 }) { webhook { id } }`);
      await until(own, ([row]) => Number(row?.waits) > 0 && row?.locked_by === null);
      endpoint.respondWith(acknowledge);
      // A webhook of which much has failed in the last minute is sent nothing by hand.
      await query(url, 'DELETE FROM webhook_attempts WHERE company_id = $1', [company]);
      await manage(`pingWebhook(input: { id: "${webhook.id}" }) { eventId }`);
      await until(own, ([row]) => row?.waits === 0 && row?.locked_by === null && Number(row?.position) === last);
      await query(url, 'UPDATE webhook_retries SET next_attempt_at = now() WHERE company_id = $1', [company]);
      await query(url, 'UPDATE webhooks SET next_attempt_at = now() WHERE company_id = $1 AND id = $2', [
        company,
        webhook.id,
      ]);
      const retries = () => query(url, 'SELECT record FROM webhook_retries WHERE company_id = $1', [company]);
      await until(retries, (rows) => rows.length === 0);
      await manage(`deleteWebhook(input: { id: "${webhook.id}" }) { id }`);
    });

    test('changes once what many change at once', async () => {
      const token = tokens[company] ?? '';
      const race = (send: (gateway: World, index: number) => Promise<Answer>) => {
        return Promise.all(Array.from({ length: copies }, (_, index) => send(index % 2 ? world : other, index)));
      };
      const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();
      const count = async (from: string) =>
        (await query(url, `SELECT count(*)::int AS n FROM ${from}`, [company]))[0]?.n;

      const latest = documents[company].documents.at(-1).versions.length;
      const input = { version_number: 1, expected_current_version: latest };
      const restores = await race((gateway) =>
        gateway.post(restPaths.restoreDocumentVersion, token, { ...input, document_id: 'restore' }),
      );
      expect(statuses(restores)).toEqual([200, 409]);
      const withKeys = await race((gateway, index) =>
        gateway.post(
          restPaths.restoreDocumentVersion,
          token,
          { ...input, document_id: 'restore-with-keys' },
          { 'idempotency-key': `key-${index % 4}` },
        ),
      );
      expect(withKeys.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      for (const id of ['restore', 'restore-with-keys'])
        expect(await count(`document_versions WHERE company_id = $1 AND document_id = '${id}'`)).toBe(latest + 1);

      const reopened = await race((gateway) =>
        gateway.post(restPaths.reopenGoal, token, { id: 'reopen', message: 'Hi' }),
      );
      expect(statuses(reopened)).toEqual([200]);
      expect(await count("activities WHERE company_id = $1 AND goal_id = 'reopen'")).toBe(1);

      const deleted = await race((gateway) =>
        gateway.post(restPaths.deleteResourceHubFile, token, { file_id: 'delete' }),
      );
      expect(statuses(deleted)).toEqual([200, 404]);
      const recovered = await race((gateway) =>
        gateway.post(restPaths.recoverResourceHubFile, token, { file_id: 'delete' }),
      );
      expect(statuses(recovered)).toEqual([200]);
      expect(await count("activities WHERE company_id = $1 AND file_id = 'delete'")).toBe(2);

      const [recovery] = await query(
        url,
        "SELECT id FROM activities WHERE company_id = $1 AND action = 'resource_hub_file_recovered' AND file_id = 'delete'",
        [company],
      );
      const preview = await world.graphql(
        token,
        `{ ${previewUndoChange && selectionOf(previewUndoChange, 4, { previewUndoChange: String(recovery?.id) })} }`,
      );
      expect(preview.body).toMatchObject({ data: { previewUndoChange: { state: expect.any(String) } } });
      const undo = () =>
        world.graphql(token, `mutation { undoChange(input: { activityId: "${recovery?.id}" }) { hasChanged } }`);
      expect((await undo()).body).toEqual({ data: { undoChange: { hasChanged: true } } });
      expect((await world.post(restPaths.deleteResourceHubFile, token, { file_id: 'delete' })).status).toBe(404);
      await world.post(restPaths.recoverResourceHubFile, token, { file_id: 'delete' });

      const both = await world.graphql(
        token,
        `mutation { reopenGoal(input: { id: "reopen-again" }) { goal { id } } deleteResourceHubFile(input: { fileId: "none" }) { file { id } } }`,
      );
      expect(both.body.data).toBeNull();
      expect(await count("activities WHERE company_id = $1 AND goal_id = 'reopen-again'")).toBe(0);
    }, 300_000);
  });

  test('an agent changes what it has previewed once, within its scopes, and all of it is undone', async () => {
    for (const company of companies) {
      const owner = documents[company].people.find((person: Json) => person.is_owner);
      const tokenOf = async (grants: Json) =>
        createToken(world.db, { companyId: company, personId: owner.id, name: 'agent', canWrite: true, ...grants });
      const { id, token } = await tokenOf({ surfaces: ['mcp'] });
      const agent = new Agent(world, token);
      await query(url, "UPDATE goals SET closed_at = now(), success = true WHERE company_id = $1 AND id = 'reopen'", [
        company,
      ]);
      const changes: Record<string, Json> = {
        reopen_goal: { id: 'reopen', message: 'Again' },
        delete_resource_hub_file: { file_id: 'delete' },
        recover_resource_hub_file: { file_id: 'delete' },
        restore_document_version: { document_id: 'restore', version_number: 2 },
      };
      const outcomes: Record<string, Json> = {};
      for (const [operation, input] of Object.entries(changes)) {
        const [stale, confirmed] = [await agent.confirmed(operation, input), await agent.confirmed(operation, input)];
        const answers = await Promise.all([1, 2, 3].map(() => agent.call(operation, confirmed)));
        expect(answers.filter(({ structuredContent }) => structuredContent.replayed === false)).toHaveLength(1);
        outcomes[operation] = await agent.data(operation, confirmed);
        expect(outcomes[operation]).toMatchObject({ replayed: true, activity: { surface: 'mcp' } });
        expect((await agent.failure(operation, stale)).code).toMatch(/^(STATE_CHANGED|VERSION_CONFLICT|NOT_FOUND)$/);
      }
      const scoped = new Agent(world, (await tokenOf({ scopes: ['reopen_goal'] })).token);
      expect(Object.keys(await scoped.tools())).not.toContain('delete_resource_hub_file');
      expect((await scoped.failure('delete_resource_hub_file', { confirmation: 'c' })).code).toBe('INSUFFICIENT_SCOPE');

      const undone = { companyId: company, tokenId: id, authorId: owner.id };
      const undo = async (dryRun: boolean) => {
        const found: unknown[] = [];
        for await (const { action, left } of undoChanges(world.db, undone, { since: null, dryRun }))
          found.push([action, left]);
        return found;
      };
      const expected = [
        'document_version_restored',
        'resource_hub_file_recovered',
        'resource_hub_file_deleted',
        'goal_reopened',
      ];
      expect(await undo(true)).toEqual(expected.map((action) => [action, null]));
      const said = JSON.parse(await command('token', 'undo', id, '--json'));
      expect(said.changes.map(({ action, left }: Json) => [action, left])).toEqual(
        expected.map((action) => [action, null]),
      );
      expect(await undo(false)).toEqual([]);
    }
  }, 120_000);

  test('while a worker is lost, the companies of the others change, and only its own get 503', async () => {
    const byWorker = await companiesByWorker(url);
    const changes = async () => Object.fromEntries(await Promise.all(companies.map(changesOf)));
    const statusesOf = async (sends: Record<string, () => Promise<number[]>>) => {
      const answered = Object.entries(sends).map(async ([company, send]) => [company, await send()] as const);
      return Object.fromEntries(await Promise.all(answered));
    };
    const expected = (lost: Set<string>) => {
      return Object.fromEntries(companies.map((company) => [company, Array(5).fill(lost.has(company) ? 503 : 200)]));
    };
    for (const worker of await workerUrls(url)) {
      const prepared = await changes();
      const statuses = await whileLost(worker, () => statusesOf(prepared));
      expect(statuses).toEqual(expected(byWorker.get(Number(new URL(worker).port)) ?? new Set()));
    }
    expect(await statusesOf(await changes())).toEqual(expected(new Set()));
  }, 300_000);

  /** Prepares what can be changed in the company. Then one call makes every change there is, and returns the statuses. */
  async function changesOf(company: string): Promise<[string, () => Promise<number[]>]> {
    const token = tokens[company] ?? '';
    const people = documents[company].people.map(({ id }: Json) => id);
    const message = JSON.stringify({ type: 'doc', content: [{ type: 'mention', attrs: { id: people[1] } }] });
    const file = '(input: { fileId: "delete" }) { file { id } }';
    await query(url, "UPDATE goals SET closed_at = now(), success = true WHERE company_id = $1 AND id = 'reopen'", [
      company,
    ]);
    const [document] = await query(
      url,
      "SELECT current_version AS version FROM resource_hub_documents WHERE company_id = $1 AND id = 'restore'",
      [company],
    );
    const version = Number(document?.version);
    const restore = { document_id: 'restore', version_number: version - 1, expected_current_version: version };
    const reopen = { id: 'reopen', message, subscriber_ids: people, send_notifications_to_everyone: true };
    const sends = [
      () => world.post(restPaths.restoreDocumentVersion, token, restore, { 'idempotency-key': randomUUID() }),
      () => world.post(restPaths.reopenGoal, token, reopen),
      () => world.post(restPaths.deleteResourceHubFile, token, { file_id: 'delete' }),
      () => world.post(restPaths.recoverResourceHubFile, token, { file_id: 'delete' }),
      () => world.graphql(token, `mutation { deleteResourceHubFile${file} recoverResourceHubFile${file} }`),
    ];
    const sendAll = async () => {
      const statuses: number[] = [];
      for (const send of sends) statuses.push((await send()).status);
      return statuses;
    };
    return [company, sendAll];
  }

  test('every statement of a request stays on the shard of its company', async () => {
    const table = await routes();
    const widths = [...new Set(table.map(({ shards }) => shards))].sort((a, b) => a - b);
    for (const width of widths)
      console.log(`${table.filter(({ shards }) => shards === width).length} statements on ${width} shards`);
    expect(table.filter(({ shards }) => shards > 1)).toEqual([]);
    expect(table.filter(({ isPulled }) => isPulled)).toEqual([]);
  });
});

/** On how many shards each noted statement runs, at its widest step, and whether a step is pulled to the coordinator. */
async function routes(): Promise<{ shards: number; isPulled: boolean; text: string }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found: { shards: number; isPulled: boolean; text: string }[] = [];
    for (const [text, values] of sent) {
      if (!noted.has(text) || !/^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/i.test(text)) continue;
      // The poll over all companies.
      if (text.includes('AS part, company_id')) continue;
      const { rows } = await client.query(`EXPLAIN ${text}`, values);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
      found.push({ shards: Math.max(0, ...tasks), isPulled: plan.includes('Citus INSERT ... SELECT'), text });
    }
    return found;
  } finally {
    await client.end();
  }
}

/** A field with all that can be selected below it, down to a depth. */
function selectionOf(field: GraphQLField<unknown, unknown>, depth: number, ids: Record<string, string>): string {
  const known: Record<string, string> = {
    id: JSON.stringify(ids[field.name] ?? 'none'),
    documentId: '"restore-with-keys"',
    versionNumber: '1',
    number: '1',
    text: '"plan"',
    input: /^preview\w+File$/.test(field.name) ? '{ fileId: "delete" }' : '{ id: "reopen-again" }',
    ...(field.name === 'previewUndoChange' && { input: `{ activityId: "${ids[field.name]}" }` }),
    ...(field.name === 'previewRestoreDocumentVersion' && {
      input: '{ documentId: "restore-with-keys", versionNumber: 1 }',
    }),
  };
  const given = field.args.filter(isRequiredArgument).map(({ name }) => `${name}: ${known[name]}`);
  if (field.args.some(({ name }) => name === 'first')) given.push('first: 2');
  const call = given.length > 0 ? `${field.name}(${given.join(', ')})` : field.name;
  const type = getNamedType(field.type);
  if (isLeafType(type)) return call;
  if (depth === 0 || !(isObjectType(type) || isInterfaceType(type))) return '';
  const below = Object.values(type.getFields()).map((child) => selectionOf(child, depth - 1, ids));
  const selected = below.filter((text) => text !== '' && !text.startsWith('edges'));
  return selected.length > 0 ? `${call} { ${selected.join(' ')} }` : '';
}
