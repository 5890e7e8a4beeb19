import { createServer } from 'node:http';
import { GraphQLError, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, createApp } from '../../src/index.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { listening } from '../support/temporary.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
const settings = { PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off' };

/** The gateway with plugins: sends GraphQL and REST. */
async function withPlugins(...plugins: Plugin[]) {
  const app = await createApp({ databaseUrl: world.url, settings, log: () => {}, plugins });
  onTestFinished(() => app.close());
  const base = `http://127.0.0.1:${await listening(createServer(app.listener))}`;
  const post = (path: string, body: object, more: Record<string, string> = {}) =>
    fetch(base + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const graphql = (query: string, more?: Record<string, string>) => post('/graphql', { query }, more);
  const reopen = async () => post('/api/external/v1/reopen_goal', { id: (await world.closedGoal(space)).id });
  return { graphql, reopen };
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

  test.each([
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
    const opening = createApp({ databaseUrl: world.url, plugins: plugins as object[] });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toBeInstanceOf(ConfigError);
  });
});
