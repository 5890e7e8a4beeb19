import {
  type Context,
  context,
  createContextKey,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace as tracing,
} from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createWorld, type Json, restPaths } from '../support/world.js';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
afterAll(async () => {
  await provider.shutdown();
  for (const api of [tracing, context, propagation]) api.disable();
});

const world = await createWorld();
const { caller, space } = await world.team();
// So that no request has to record the use of its token.
await world.sql('UPDATE api_tokens SET last_used_at = now()');
const trace = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';

beforeEach(() => {
  exporter.reset();
  world.log.length = 0;
});

interface Branch {
  name: string;
  below: Branch[];
}

const childrenOf = (id: string | undefined, spans: ReadableSpan[]) =>
  spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === id)
    .sort((one, other) => one.startTime[0] - other.startTime[0] || one.startTime[1] - other.startTime[1]);

const treeOf = (id: string | undefined, spans: ReadableSpan[]): Branch[] =>
  childrenOf(id, spans).map((span) => ({ name: span.name, below: treeOf(span.spanContext().spanId, spans) }));

const leaf = (name: string): Branch => ({ name, below: [] });

describe('a trace', async () => {
  // The first use of a token looks for its company.
  await world.graphql(caller.token, '{ __typename }');

  test('of a change has the request, the operation in it, and every statement in that', async () => {
    const { id } = await world.closedGoal(space);
    const { status } = await world.post(
      restPaths.reopenGoal,
      caller.token,
      { id },
      { traceparent: `00-${trace}-${parent}-01`, 'idempotency-key': 'once' },
    );
    expect(status).toBe(200);
    const spans = exporter.getFinishedSpans();
    expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([trace]));
    const [request] = treeOf(parent, spans);
    expect(request?.name).toBe(`POST ${restPaths.reopenGoal}`);
    expect(request?.below).toEqual([{ name: 'mutation reopenGoal', below: expect.any(Array) }]);
    const statements = (request?.below[0]?.below ?? []).map(({ name }) => name);
    // The token, then the transaction.
    expect([...statements.slice(0, 2), statements.at(-1)]).toEqual(['SELECT', 'BEGIN', 'COMMIT']);
    expect(world.log).toMatchObject([{ statements: statements.length, traceId: trace }]);
    const [root] = childrenOf(parent, spans);
    expect(world.log[0]?.spanId).toBe(root?.spanContext().spanId);
  });

  test('of a query has the same, on its own if the caller has none', async () => {
    await world.graphql(caller.token, 'query Mine { viewer { person { id } } }');
    const spans = exporter.getFinishedSpans();
    expect(treeOf(undefined, spans)).toEqual([
      { name: 'POST /graphql', below: [{ name: 'query viewer', below: [leaf('SELECT'), leaf('SELECT')] }] },
    ]);
    const [request] = childrenOf(undefined, spans);
    expect(request).toMatchObject({
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/graphql',
        'http.response.status_code': 200,
        'url.path': '/graphql',
        'goalpost.operation': 'viewer',
        'goalpost.request_id': world.log[0]?.requestId,
      },
    });
    const statements = spans.filter(({ kind }) => kind === SpanKind.CLIENT);
    for (const { attributes } of statements) {
      expect(attributes).toEqual({
        'db.system.name': 'postgresql',
        'db.query.text': expect.stringMatching(/^\s*SELECT/),
      });
    }
  });

  test('of each of many requests at once has its own statements only', async () => {
    await Promise.all(Array.from({ length: 40 }, () => world.graphql(caller.token, '{ goals { nodes { id } } }')));
    const spans = exporter.getFinishedSpans();
    expect(world.log).toHaveLength(40);
    for (const { traceId, statements } of world.log as Json[]) {
      const own = spans.filter((span) => span.spanContext().traceId === traceId && span.kind === SpanKind.CLIENT);
      expect(own).toHaveLength(statements);
    }
  });

  test('of a failure names its code, and is an error only if the server failed', async () => {
    await world.post(restPaths.reopenGoal, caller.token, { id: 'none' });
    await world.sql('ALTER TABLE activities RENAME TO activities_elsewhere');
    try {
      await world.post(restPaths.reopenGoal, caller.token, { id: (await world.closedGoal(space)).id });
    } finally {
      await world.sql('ALTER TABLE activities_elsewhere RENAME TO activities');
    }
    const requests = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
    expect(requests).toMatchObject([
      { status: { code: SpanStatusCode.UNSET }, attributes: { 'error.type': 'NOT_FOUND' } },
      { status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'INTERNAL_SERVER_ERROR' } },
    ]);
    const failed = exporter.getFinishedSpans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ kind }) => kind)).toContain(SpanKind.CLIENT);
  });

  test('has no token, key, variable or body in it', async () => {
    const secret = 'canary-7f3a';
    const { id } = await world.closedGoal(space);
    const headers = { 'idempotency-key': `key-${secret}`, cookie: secret, 'user-agent': secret };
    await world.post(restPaths.reopenGoal, caller.token, { id, message: secret }, headers);
    await world.post(restPaths.reopenGoal, caller.token, { id: secret, subscriber_ids: [secret] }, headers);
    await world.graphql(caller.token, 'query ($id: ID!) { goal(id: $id) { name } }', { id: secret });
    await world.graphql(caller.token, `{ goal(id: "${secret}") { name } } # ${secret}`);
    await world.graphql(
      caller.token,
      '{ goals(first: 83) { nodes { activities(last: 83) { totalCount nodes { id } } } } }',
    );
    await world.fetch(`/${caller.token}?token=${caller.token}&${secret}`);
    const spans = exporter.getFinishedSpans();
    const recorded = JSON.stringify(
      spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    expect(spans.length).toBeGreaterThan(20);
    expect(/LIMIT \(?8[34]/.test(recorded)).toBe(false);
    for (const value of [secret, caller.token, caller.id, id]) expect(recorded.includes(value)).toBe(false);
  });

  test.each([
    ['is malformed', { traceparent: `00-${trace}-%`, tracestate: '%', baggage: '%=%,a=%E0%A4%A,=,;,__proto__=x' }],
    ['has 8 kB of a state', { traceparent: '00', tracestate: 'a=b,'.repeat(2_000), baggage: 'a=%20;b,'.repeat(500) }],
  ])('starts with the request if what the caller sends %s', async (_case, headers) => {
    const { status } = await world.post('/graphql', caller.token, { query: '{ __typename }' }, headers);
    expect(status).toBe(200);
    const spans = exporter.getFinishedSpans();
    const [request] = childrenOf(undefined, spans);
    expect(request?.name).toBe('POST /graphql');
    expect(request?.spanContext()).not.toMatchObject({ traceId: trace });
  });

  test('starts with the request if what reads the headers throws, as some do at a malformed escape', async () => {
    const decode = {
      inject: () => {},
      fields: () => ['uber'],
      extract: (at: Context, headers: Json) => at.setValue(uber, decodeURIComponent(headers.uber)),
    };
    const uber = createContextKey('uber');
    propagation.disable();
    propagation.setGlobalPropagator(decode);
    onTestFinished(() => {
      for (const api of [tracing, context, propagation]) api.disable();
      provider.register();
    });
    const { status } = await world.post('/graphql', caller.token, { query: '{ __typename }' }, { uber: '%' });
    expect(status).toBe(200);
    expect(childrenOf(undefined, exporter.getFinishedSpans())).toHaveLength(1);
  });
});
