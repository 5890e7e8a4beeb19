import { describe, expect, test } from 'vitest';
import { eventSource } from '../../src/events/source.js';
import { numberEvents } from '../../src/platform/outbox/sequence.js';
import { Agent } from '../support/agent.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();

/** The bytes of a result: of its data, and of its text, which has the data too. */
const sizeOf = ({ content, structuredContent }: Json) => ({
  data: Buffer.byteLength(JSON.stringify(structuredContent)),
  all: Buffer.byteLength(JSON.stringify({ content, structuredContent })),
});

/** A model with the tools alone, which notes what it calls and gets. */
function createModel(agent: Agent) {
  const transcript: string[] = [];
  return {
    transcript,
    async call(name: string, given: Json): Promise<Json> {
      const result = await agent.call(name, given);
      const shown = JSON.stringify(given).replace(/v2\.[\w.-]{30,}/, 'v2.…');
      transcript.push(`> ${name} ${shown}`, `  ${result.content[0].text}`);
      expect(result.isError, transcript.join('\n')).toBeUndefined();
      // What it gets as text is what it gets as data.
      expect(JSON.parse(result.content[1].text)).toEqual(result.structuredContent);
      return result.structuredContent;
    },
    /** Previews a change and makes it with what the preview returned. */
    async change(operation: string, input: Json): Promise<Json> {
      const { arguments: given, confirmation } = await this.call('preview_change', { [operation]: input });
      return this.call(operation, { ...given, confirmation });
    },
  };
}

test('a model with the tools alone finds, previews, changes and recovers by name, without a wrong call', async () => {
  const { company, caller, space, hub } = await world.teamWithHub('space');
  await world.person(company, { fullName: 'Jonas Weber' });
  await world.file(hub, caller, { name: 'Budget 2026.xlsx' });
  await world.document(hub, caller, ['We launch in May.', 'We launch in June.'], { name: 'Launch plan' });
  await world.closedGoal(space, { name: 'Launch the mobile app' });
  const model = createModel(new Agent(world, caller.token));

  const { nodes: goals } = await model.call('find_goals', { text: 'launch' });
  const { nodes: people } = await model.call('find_people', { text: 'jonas weber' });
  const reopening = { id: goals[0].id, message: 'One more market', subscriber_ids: [people[0].id] };
  const previewed = await model.call('preview_change', { reopen_goal: reopening });
  expect(previewed.preview).toMatchObject({
    message: 'One more market',
    notified: { nodes: [{ full_name: 'Jonas Weber' }], total_count: 1 },
  });
  const { arguments: given, confirmation } = previewed;
  expect(given).toMatchObject(reopening);
  expect((await model.call('reopen_goal', { ...given, confirmation })).goal.is_closed).toBe(false);

  const { nodes: documents } = await model.call('find_files_and_documents', { text: 'launch' });
  const { id } = documents.find(({ kind }: Json) => kind === 'resource_hub_document');
  const read = await model.call('read_document', { id });
  const [, earlier] = read.versions.nodes;
  await model.call('read_document', { id, version_number: earlier.version_number });
  const restored = await model.change('restore_document_version', {
    document_id: id,
    version_number: earlier.version_number,
  });
  expect(restored.restored_version.restored_from_version_number).toBe(1);

  const { nodes: files } = await model.call('find_files_and_documents', { text: 'budget' });
  await model.change('delete_resource_hub_file', { file_id: files[0].id });
  await numberEvents(world.db, eventSource, company.companyId);
  const { nodes: changes } = await model.call('recent_changes', {});
  expect(changes.map(({ action }: Json) => action)).toEqual([
    'resource_hub_file_deleted',
    'document_version_restored',
    'goal_reopened',
  ]);
  expect(changes[0]).toMatchObject({ subject_kind: 'resource_hub_file', subject_id: files[0].id });
  const { nodes: deleted } = await model.call('find_files_and_documents', { text: 'budget', deleted: true });
  const recovered = await model.change('recover_resource_hub_file', { file_id: deleted[0].id });
  expect(recovered.file).toMatchObject({ id: files[0].id, deleted_at: null });
  const { nodes: there } = await model.call('find_files_and_documents', { text: 'budget' });
  expect(there).toHaveLength(1);
  if (process.env.TRANSCRIPT) console.log(model.transcript.join('\n'));
});

describe('what an agent gets is bounded', () => {
  test('recent_changes has few of the newest, and more if asked', async () => {
    const { company, caller, space } = await world.team();
    const agent = new Agent(world, caller.token);
    const goal = await world.goal(space, { name: 'A goal with a name as long as most people make them' });
    const activity = {
      ...company,
      authorId: caller.id,
      goalId: goal.id,
      action: 'goal_closed',
      name: goal.name,
    } as const;
    await world.db.activity.createMany({ data: Array.from({ length: 60 }, () => activity) });
    await numberEvents(world.db, eventSource, company.companyId);
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
  const long = (lines: number, changed = '') =>
    Array.from({ length: lines }, (_, n) => (n % 100 === 50 && changed ? `${n}. ${changed}\n` : line(n))).join('');

  test('one of large changes is too, and says what it leaves out and where that is', async () => {
    const { caller, hub } = await world.teamWithHub('space');
    const { id } = await world.document(hub, caller, [long(5_000), 'short']);
    const input = { document_id: id, version_number: 1 };
    const result = await new Agent(world, caller.token).call('preview_change', { restore_document_version: input });
    expect(sizeOf(result).all).toBeLessThanOrEqual(10_000);
    expect(result.structuredContent.preview.difference.content.excerpt.omitted).toBeGreaterThan(300_000);
    expect(result.content[0].text).toContain('read_document shows the whole text page by page');
  });

  test.each([['words', long(5_000)]])(
    'read_document has pages of at most 32 kB, which together are the text: %s',
    async (_what, text) => {
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
    },
  );
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

  test('that sends no arguments as null is served', async () => {
    const { caller } = await world.team();
    const call = { ...list, method: 'tools/call', params: { name: 'find_goals', arguments: null } };
    const { body } = await new Agent(world, caller.token).message(call, { 'MCP-Protocol-Version': '2025-11-25' });
    expect(body.result.structuredContent.nodes).toEqual([]);
  });
});
