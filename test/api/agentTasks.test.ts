import { expect, test } from 'vitest';
import { createToken } from '../../src/tokens.js';
import { tasks, workspaceAt } from '../../tools/agents/tasks.js';
import { Agent } from '../support/agent.js';
import { importDocument } from '../support/importDocument.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
await importDocument(world.db, workspaceAt(Date.now()));
const owner = { companyId: 'tasks', personId: 'p0' };
const { token } = await createToken(world.db, { ...owner, name: 'agent', canWrite: true });
const agent = new Agent(world, token);
const rows: string[] = [];
let last: Json;

test.each(tasks.map((task, n) => [n + 1, task] as const))(
  'task %i, with the tools alone: no dead end, nor more calls and bytes than it may take',
  async (n, { asked, calls: most, kB, play }) => {
    await world.numberEvents(owner.companyId);
    let [calls, bytes] = [0, 0];
    const call = async (name: string, given: Json): Promise<Json> => {
      calls += 1;
      const { body } = await agent.request('tools/call', { name, arguments: given });
      const { content, structuredContent: data } = body.result ?? {};
      bytes += Buffer.byteLength(JSON.stringify(data ?? body.error));
      if (!data) return { error: body.error.message };
      last = data.activity ? data : last;
      return { ...data, text: content[0].text };
    };
    expect(await play({ call }, last), asked).toBeUndefined();
    rows.push(`| ${n} | ${asked} | ${calls} of ${most} | ${(bytes / 1000).toFixed(1)} of ${kB} |`);
    if (process.env.TABLE && n === tasks.length) console.log(rows.join('\n'));
    expect({ calls, bytes }).toMatchObject({ calls: expect.toSatisfy((value: number) => value <= most) });
    expect(bytes, asked).toBeLessThanOrEqual(kB * 1000);
  },
);
