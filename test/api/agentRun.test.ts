import { describe, expect, test } from 'vitest';
import { Agent } from '../support/agent.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();

/** The bytes of a result: of its data, and of its text, which has the data too. */
const sizeOf = ({ content, structuredContent }: Json) => ({
  data: Buffer.byteLength(JSON.stringify(structuredContent)),
  all: Buffer.byteLength(JSON.stringify({ content, structuredContent })),
});

/** A model with the tools alone, which notes what it calls and gets. */
describe('what an agent gets is bounded', () => {
  test('recent_changes has few of the newest, and more if asked', async () => {
    const { company, caller, space } = await world.team();
    const agent = new Agent(world, caller.token);
    const goal = await world.goal(space, { name: 'A goal with a name as long as most people make them' });
    const { id: goalId, name } = goal;
    for (let count = 0; count < 60; count += 1) await world.activity(caller, { action: 'goal_closed', goalId, name });
    await world.numberEvents(company.companyId);
    const few = await agent.call('recent_changes', {});
    expect(few.structuredContent.nodes).toHaveLength(5);
    expect(few.content[0].text).toBe('5. For more, call again with end_cursor as after.');
    expect(sizeOf(few).all).toBeLessThanOrEqual(4_096);
    expect((await agent.data('recent_changes', { first: 50 })).nodes).toHaveLength(50);
    const { end_cursor: after } = few.structuredContent.page_info;
    const ids = (nodes: Json[]) => nodes.map(({ id }) => id);
    const { nodes: next } = await agent.data('recent_changes', { first: 5, after });
    expect(ids(next)).not.toEqual(expect.arrayContaining(ids(few.structuredContent.nodes)));
  });

  const line = (n: number) =>
    `${n}. A line of "some" words, as people write them, with a little of everything in it.\n`;
  const long = (lines: number) => Array.from({ length: lines }, (_, n) => line(n)).join('');

  test('one of large changes is too, and says what it leaves out and where that is', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const { id } = await world.document(hub, caller, [long(5_000), 'short']);
    const input = { document_id: id, version_number: 1 };
    const result = await new Agent(world, caller.token).call('preview_change', { restore_document_version: input });
    expect(sizeOf(result).all).toBeLessThanOrEqual(10_000);
    expect(result.structuredContent.preview.difference.content.excerpt.omitted).toBeGreaterThan(300_000);
    expect(result.content[0].text).toContain('read_document shows the whole text page by page');
  });

  test('read_document has pages of at most 32 kB, which together are the text', async () => {
    const text = long(5_000);
    const { caller, hub } = await world.teamWithHub('space');
    const { id } = await world.document(hub, caller, [text.slice(2), text, `${text}.`, text]);
    const agent = new Agent(world, caller.token);
    const first = await agent.call('read_document', { id });
    expect(sizeOf(first).all).toBeLessThanOrEqual(32_768);
    const { count } = first.structuredContent.readable_text;
    expect(first.content[0].text).toContain(`Page 1 of ${count} of the text. For the next, call again with page 2.`);
    const last = await agent.call('read_document', { id, page: count });
    expect(sizeOf(last).all).toBeLessThanOrEqual(32_768);
    expect(text.endsWith(last.structuredContent.readable_text.text)).toBe(true);
    const old = await agent.call('read_document', { id, version_number: 1, page: 2 });
    expect(sizeOf(old).all).toBeLessThanOrEqual(32_768);
    const { errors, remedy } = await agent.failure('read_document', { id, page: count + 1 });
    expect({ errors, remedy }).toMatchObject({
      errors: [{ field: 'page' }],
      remedy: expect.stringContaining('Correct'),
    });
  });
});

describe('a client', () => {
  const list = { jsonrpc: '2.0', id: 'seven', method: 'tools/list' };

  test('that takes only a stream gets one of one message', async () => {
    const { caller } = await world.team();
    const agent = new Agent(world, caller.token);
    const { status, headers, body } = await agent.message(list, { Accept: 'text/event-stream' });
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'text/event-stream' });
    const [, data] = /^event: message\ndata: (.+)\n\n$/.exec(body.text) ?? [];
    expect(JSON.parse(data ?? '')).toMatchObject({ id: 'seven', result: { tools: expect.any(Array) } });
    for (const Accept of ['application/json', 'application/json, text/event-stream', '*/*'])
      expect((await agent.message(list, { Accept })).headers.get('content-type')).toContain('application/json');
  });

  test('of an unknown version is told all that there are, with the id of its request', async () => {
    const { caller } = await world.team();
    const agent = new Agent(world, caller.token);
    const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } };
    for (const { status, body } of [
      await agent.message(list, { 'MCP-Protocol-Version': '1999-01-01' }),
      await agent.message({ ...list, params: meta }),
    ]) {
      expect(status).toBe(400);
      expect(body).toMatchObject({
        id: 'seven',
        error: {
          code: -32_022,
          data: {
            requested: '1999-01-01',
            supported: expect.arrayContaining(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']),
          },
        },
      });
    }
  });
});
