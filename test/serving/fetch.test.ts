import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp, type Gateway } from '../../src/index.js';
import { preparedStatements } from '../support/pgbouncer.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const { caller, space } = await world.team();
const headers = { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' };
const origin = 'https://work.example.com';

async function opened(own: Record<string, string> = {}): Promise<Gateway & { lines: string[] }> {
  const settings = { PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off', ...own };
  const lines: string[] = [];
  const app = await createApp({ databaseUrl: world.url, settings, log: (line) => void lines.push(line) });
  onTestFinished(() => app.close());
  return { ...app, lines };
}

const posting = (path: string, body: BodyInit, more: RequestInit = {}) =>
  new Request(origin + path, { method: 'POST', headers, body, ...more });

describe('fetch of a gateway', () => {
  test('responds on both surfaces, as over a socket', async () => {
    const { fetch, lines } = await opened();
    const graphql = await fetch(posting('/graphql', JSON.stringify({ query: '{ viewer { person { id } } }' })));
    expect(graphql.status).toBe(200);
    expect(graphql.headers.get('content-type')).toContain('json');
    expect(await graphql.json()).toEqual({ data: { viewer: { person: { id: caller.id } } } });
    const { id } = await world.closedGoal(space);
    const rest = await fetch(posting('/api/external/v1/reopen_goal', JSON.stringify({ id })));
    expect(rest.status).toBe(200);
    expect((await fetch(posting('/api/external/v1/reopen_goal', '{'))).status).toBe(400);
    expect((await fetch(new Request(`${origin}/graphql?query={__typename}`, { headers }))).status).toBe(200);
    expect((await fetch(new Request(`${origin}/nowhere`, { headers }))).status).toBe(404);
    expect(lines.filter((line) => JSON.parse(line).msg === 'request')).toHaveLength(5);
  });

  test('responds without a body to HEAD and OPTIONS, and in pieces to a subscription', async () => {
    const { fetch } = await opened({ CORS_ORIGINS: 'https://app.example.com' });
    const head = await fetch(new Request(`${origin}/healthz`, { method: 'HEAD' }));
    expect([head.status, head.body]).toEqual([200, null]);
    const asking = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
    const preflight = await fetch(new Request(`${origin}/graphql`, { method: 'OPTIONS', headers: asking }));
    expect([preflight.status, preflight.body]).toEqual([204, null]);
    const query = 'subscription { events { id type } }';
    const live = { ...headers, accept: 'text/event-stream' };
    const stream = await fetch(posting('/graphql', JSON.stringify({ query }), { headers: live }));
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const reader = stream.body?.getReader();
    const { id } = await world.closedGoal(space);
    await fetch(posting('/api/external/v1/reopen_goal', JSON.stringify({ id })));
    const decoder = new TextDecoder();
    let received = '';
    while (!received.includes('event: next')) received += decoder.decode((await reader?.read())?.value as Uint8Array);
    await reader?.cancel();
  });

  test('a body of unknown length that is too long is 413', async () => {
    const { fetch } = await opened({ BODY_LIMIT: '1024' });
    let pieces = 0;
    const body = new ReadableStream({
      pull(controller) {
        pieces += 1;
        controller.enqueue(new TextEncoder().encode(' '.repeat(100)));
        if (pieces === 100) controller.close();
      },
    });
    const sent = await fetch(posting('/graphql', body, { duplex: 'half' } as RequestInit));
    expect(sent.status).toBe(413);
  });

  test('an aborted request rejects, and close() does not wait for it', async () => {
    const app = await opened({ DRAIN_SECONDS: '600' });
    const { id } = await world.closedGoal(space);
    const release = await world.holdGoals();
    const gone = new AbortController();
    const asked = app.fetch(posting('/api/external/v1/reopen_goal', JSON.stringify({ id }), { signal: gone.signal }));
    setTimeout(() => gone.abort(), 300);
    await expect(asked).rejects.toThrow(/abort/i);
    await release();
    await app.close();
  });

  test('says that a body is gone which somebody else has read', async () => {
    const { fetch } = await opened();
    const request = posting('/graphql', '{}');
    await request.text();
    await expect(fetch(request)).rejects.toThrow('The body of the request has been read');
  });
});
