import { createServer } from 'node:http';
import { buildSchema, GraphQLError, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, createApp } from '../../src/index.js';
import { Agent } from '../support/agent.js';
import { Client } from '../support/client.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { listening } from '../support/temporary.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
const settings = { PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off', MCP: 'on' };

/** The gateway with plugins: sends GraphQL and REST. */
async function withPlugins(...plugins: Plugin[]) {
  const app = await createApp({ databaseUrl: world.url, settings, log: () => {}, plugins });
  onTestFinished(() => app.close());
  const base = `http://127.0.0.1:${await listening(createServer(app.listener))}`;
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    fetch(base + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const graphql = (query: string, more?: Record<string, string>) => post('/graphql', { query }, more);
  const reopen = async () => post('/api/external/v1/reopen_goal', { id: (await world.closedGoal(space)).id });
  const agent = new Agent(new Client(base), caller.token);
  return { graphql, reopen, agent };
}

/** A plugin that notes which of its hooks run, and what they know. */
function observer() {
  const ran: string[] = [];
  const note = (name: string) => void ran.push(name);
  const plugin: Plugin = {
    onYogaInit: () => note('onYogaInit'),
    onSchemaChange: () => note('onSchemaChange'),
    onEnveloped: () => note('onEnveloped'),
    onParse() {
      note('onParse');
      return () => note('parsed');
    },
    onValidate() {
      note('onValidate');
      return ({ valid }) => note(`validated: ${valid}`);
    },
    onContextBuilding: () => note('onContextBuilding'),
    onExecute({ args, context }) {
      const { kind } = args.document.definitions[0] ?? {};
      note(`onExecute ${new URL((context as { request: Request }).request.url).pathname} ${kind}`);
      return { onExecuteDone: ({ result }) => note(`executed: ${'data' in result && result.data !== null}`) };
    },
    onSubscribe: () => note('onSubscribe'),
  };
  return { ran, plugin };
}

describe('of a plugin', () => {
  test('the hooks around an operation run on GraphQL, those around its context and its execution on REST', async () => {
    const { ran, plugin } = observer();
    const { graphql, reopen } = await withPlugins(plugin);
    expect(ran.splice(0)).toEqual(['onSchemaChange', 'onYogaInit']);
    for (const _ of ['parsed and validated', 'known']) {
      expect((await graphql('{ viewer { person { id } } }')).status).toBe(200);
      expect(ran.splice(0)).toEqual([
        ...['onEnveloped', 'onParse', 'parsed', 'onValidate', 'validated: true', 'onContextBuilding'],
        ...['onExecute /graphql OperationDefinition', 'executed: true'],
      ]);
    }
    expect((await reopen()).status).toBe(200);
    expect(ran.splice(0)).toEqual([
      ...['onEnveloped', 'onContextBuilding'],
      ...['onExecute /api/external/v1/reopen_goal OperationDefinition', 'executed: true'],
    ]);
    const subscription = 'subscription { events { id } }';
    const stream = await graphql(subscription, { accept: 'text/event-stream' });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    expect(ran.splice(0)).toEqual([
      ...['onEnveloped', 'onParse', 'parsed', 'onValidate', 'validated: true', 'onContextBuilding', 'onSubscribe'],
    ]);
  });

  test('the plugin of docs/embedding.md names what each surface runs', async () => {
    const names: unknown[] = [];
    const { graphql, reopen, agent } = await withPlugins({
      onExecute: ({ args }) => void names.push(args.operationName),
    });
    await graphql('{ viewer { person { id } } }');
    await reopen();
    await agent.data('find_goals');
    expect(names).toEqual([undefined, 'reopenGoal', 'find_goals']);
  });

  test('what it has opened it can close with the gateway', async () => {
    const ran: string[] = [];
    class Inherited {
      onDispose() {
        ran.push('disposed');
      }
    }
    const app = await createApp({ databaseUrl: world.url, settings, log: () => {}, plugins: [new Inherited(), {}] });
    expect(ran).toEqual([]);
    await app.close();
    expect(ran).toEqual(['disposed']);
  });

  test('what fails when it closes keeps nothing else from closing', async () => {
    const ran: string[] = [];
    const failing = {
      onDispose: () => {
        throw new Error('cannot close');
      },
    };
    const plugins = [failing, { onDispose: () => void ran.push('disposed') }];
    const app = await createApp({ databaseUrl: world.url, settings, log: () => {}, plugins });
    await expect(app.close()).rejects.toThrow('cannot close');
    expect(ran).toEqual(['disposed']);
  });

  test('a rule of validation holds for documents that are known without it', async () => {
    const strict = { accept: 'application/graphql-response+json' };
    let isOn = false;
    const { graphql } = await withPlugins({
      onValidate: ({ addValidationRule }) => {
        if (isOn) addValidationRule(NoSchemaIntrospectionCustomRule);
      },
    });
    const asked = async () => (await graphql('{ __schema { queryType { name } } }', strict)).status;
    expect([await asked(), await asked()]).toEqual([200, 200]);
    isOn = true;
    expect([await asked(), await asked()]).toEqual([400, 400]);
  });

  test('a document that it puts in the place of another is not kept as that', async () => {
    const seen: number[] = [];
    const { graphql } = await withPlugins({
      onParse:
        () =>
        ({ result, replaceParseResult }) => {
          const document = result as { definitions: object[] };
          seen.push(document.definitions.length);
          replaceParseResult({ ...document, definitions: [...document.definitions] });
        },
      onExecute: ({ args }) => void seen.push(args.document.definitions.length),
    });
    for (const _ of [1, 2]) expect((await graphql('{ __typename }')).status).toBe(200);
    expect(seen).toEqual([1, 1, 1, 1]);
  });

  test('what it throws is the response, on both surfaces, whichever copy of graphql it comes from', async () => {
    const error = () => new GraphQLError('Not now.', { extensions: { code: 'FORBIDDEN', http: { status: 403 } } });
    const foreign = () =>
      Object.assign(new Error('Not now.'), {
        name: 'GraphQLError',
        extensions: { code: 'FORBIDDEN', http: { status: 403 } },
      });
    for (const refusal of [error, foreign]) {
      const { graphql, reopen } = await withPlugins({
        onExecute() {
          throw refusal();
        },
      });
      const sent = await graphql('{ viewer { person { id } } }');
      expect(await sent.json()).toMatchObject({ errors: [{ message: 'Not now.', extensions: { code: 'FORBIDDEN' } }] });
      const rest = await reopen();
      expect(rest.status).toBe(403);
      expect(await rest.json()).toMatchObject({ detail: 'Not now.', code: 'FORBIDDEN' });
    }
  });

  test('a refusal has its own code, status and words on every surface', async () => {
    const extensions = {
      code: 'LEGAL_HOLD',
      http: { status: 451, headers: { Link: '<https://example.com>' } },
      until: 'May',
    };
    const { graphql, reopen, agent } = await withPlugins({
      onExecute() {
        throw new GraphQLError('Not in your country.', { extensions });
      },
    });
    const errors = [{ message: 'Not in your country.', extensions: { code: 'LEGAL_HOLD', until: 'May' } }];
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const sent = await graphql('{ viewer { person { id } } }', { accept });
      expect([sent.status, sent.headers.get('link')]).toEqual([451, '<https://example.com>']);
      expect(await sent.json()).toMatchObject({ errors });
    }
    const rest = await reopen();
    expect([rest.status, rest.headers.get('link')]).toEqual([451, '<https://example.com>']);
    expect(await rest.json()).toMatchObject({
      type: 'about:blank',
      title: 'Unavailable For Legal Reasons',
      status: 451,
      code: 'LEGAL_HOLD',
      detail: 'Not in your country.',
      until: 'May',
    });
    const result = await agent.call('find_goals');
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { code: 'LEGAL_HOLD', status: 451, detail: 'Not in your country.' },
    });
    expect(result.content[0].text).toMatch(/^LEGAL_HOLD: Not in your country\. /);
    expect(JSON.stringify(result)).not.toContain('undefined');
  });

  test.each([
    ['without a status', { code: 'LEGAL_HOLD' }, 'LEGAL_HOLD', 'No.'],
    ['without a code', {}, 'BAD_REQUEST', 'No.'],
  ])('a refusal %s is 400 on every surface', async (_what, extensions, code, message) => {
    const { graphql, reopen, agent } = await withPlugins({
      onExecute() {
        throw new GraphQLError(message, { extensions });
      },
    });
    const sent = await graphql('{ __typename }', { accept: 'application/graphql-response+json' });
    expect([sent.status, await sent.json()]).toMatchObject([400, { errors: [{ message, extensions: { code } }] }]);
    const rest = await reopen();
    expect([rest.status, await rest.json()]).toMatchObject([400, { code, detail: message }]);
    expect((await agent.call('find_goals')).structuredContent).toMatchObject({ code, status: 400, detail: message });
  });

  const other = buildSchema('type Query { other: Int }');

  test('that replaces the schema for each request, none is served, and the log names it', async () => {
    const lines: string[] = [];
    const plugins: Plugin[] = [{}, { onEnveloped: ({ setSchema }) => setSchema(other) }];
    const app = await createApp({ databaseUrl: world.url, settings, log: (line) => lines.push(line), plugins });
    onTestFinished(() => app.close());
    const base = `http://127.0.0.1:${await listening(createServer(app.listener))}`;
    const sent = await fetch(`${base}/graphql`, { method: 'POST', headers, body: '{"query":"{ __typename }"}' });
    expect(JSON.stringify(await sent.json())).toContain('INTERNAL_SERVER_ERROR');
    expect(lines.join('')).toContain('plugins[1] replaces the schema');
  });

  test('the private fields of one with such a hook are its own', async () => {
    class Counting {
      #executed = 0;
      onEnveloped() {
        this.#executed += 1;
      }
      get executed() {
        return this.#executed;
      }
    }
    const counting = new Counting();
    const { graphql } = await withPlugins(counting);
    expect((await graphql('{ __typename }')).status).toBe(200);
    expect(counting.executed).toBe(1);
  });

  test.each([
    [
      'one that replaces the schema when it is opened',
      [{}, { onPluginInit: ({ setSchema }: { setSchema: (schema: unknown) => void }) => setSchema(other) }],
      'plugins[1] replaces the schema',
    ],
    [
      'one that replaces it when it is set',
      [{ onSchemaChange: ({ replaceSchema }: { replaceSchema: (schema: unknown) => void }) => replaceSchema(other) }],
      'plugins[0] replaces the schema',
    ],
    ['a hook that would never run', [{ onRequest() {} }], 'plugins[0] has what never runs here'],
    [
      'such a phase of its instrumentation',
      [{}, { instrumentation: { request() {} } }],
      'plugins[1] has what never runs',
    ],
    ['no list', {}, 'plugins must be a list'],
    ['no object', [null], 'plugins[0] is no object'],
    ['a list of plugins in the list', [[{ onExecute() {} }]], 'plugins[0] is a list: spread it'],
    ['a plugin that is not awaited', [Promise.resolve({ onExecute() {} })], 'plugins[0] is a promise: await it'],
    ['an object with plugins', [{}, { plugins: [] }], 'plugins[1] has no hook of Envelop or Yoga, only plugins'],
  ])('%s is refused', async (_what, plugins, message) => {
    const connections = async () =>
      (await world.sql('SELECT FROM pg_stat_activity WHERE datname = current_database()')).length;
    const before = await connections();
    const opening = createApp({ databaseUrl: world.url, plugins: plugins as object[] });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toBeInstanceOf(ConfigError);
    await expect.poll(connections).toBeLessThanOrEqual(before);
  });
});
