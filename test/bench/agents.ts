import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { readDocuments } from '../../src/mcp/documents.js';
import { schema } from '../../src/schema/index.js';
import { envelope, headersOf } from '../support/agent.js';
import { startBuiltGateway } from '../support/builtGateway.js';
import { cpuMilliseconds } from '../support/processes.js';
import { spread, table } from './comparison/format.js';

// What a call of a tool costs the gateway in processor time, more than the same document over GraphQL: on the demo, in
// turn, the median of rounds. Also how long the first message takes, which loads the protocol:
// `npx tsx test/bench/agents.ts [rounds]`

const rounds = Number(process.argv[2] ?? 7);
const requests = 150;
const atOnce = 8;

const folder = await mkdtemp(join(tmpdir(), 'goalpost-agents-'));
const gateway = await startBuiltGateway({ DATA_DIR: folder });
const { write } = JSON.parse(await readFile(join(folder, 'demo-tokens.json'), 'utf8'));
const stored = readDocuments(schema);

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(gateway.base + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${write}`, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"') || text.includes('isError')) throw new Error(`${path}: ${text}`);
}

const tool = (name: string, given: object) => {
  const params = { name, arguments: given, _meta: envelope };
  return () => post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headersOf('tools/call', name));
};
const before = (name: string, given: object) => {
  const params = { name, arguments: given };
  return () => post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
};
const graphql = (name: string, variables: object) => {
  const query = print(stored(name).document);
  return () => post('/graphql', { query, variables });
};

const timed = async (run: () => Promise<void>) => {
  const startedAt = performance.now();
  await run();
  return Math.round(performance.now() - startedAt);
};
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const firstGraphql = await timed(graphql('findGoals', {}));
const atRest = gateway.megabytes();
const [first, second] = [await timed(() => post('/mcp', list)), await timed(() => post('/mcp', list))];
console.log(`first query ${firstGraphql} ms; first message ${first} ms, second ${second} ms`);
console.log(`memory before the first message ${Math.round(atRest)} MB, after it ${Math.round(gateway.megabytes())} MB`);

/** Milliseconds of the gateway's processor time for each request. */
async function cost(run: () => Promise<void>): Promise<number> {
  const from = cpuMilliseconds(gateway.pid);
  let left = requests;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return (cpuMilliseconds(gateway.pid) - from) / requests;
}

const id = 'doc-launch-plan';
const workloads: [string, Record<'graphql' | 'tool' | 'before', () => Promise<void>>][] = [
  ['find_goals', { graphql: graphql('findGoals', {}), tool: tool('find_goals', {}), before: before('find_goals', {}) }],
  [
    'recent_changes',
    {
      graphql: graphql('changesOfDocument', { id }),
      tool: tool('recent_changes', { document: { id } }),
      before: before('recent_changes', { document: { id } }),
    },
  ],
];

const rows: string[][] = [];
for (const [name, { graphql, tool, before }] of workloads) {
  for (const run of [graphql, tool, before]) await cost(run);
  const measured: Record<'graphql' | 'tool' | 'before', number[]> = { graphql: [], tool: [], before: [] };
  for (let round = 0; round < rounds; round += 1) {
    measured.graphql.push(await cost(graphql));
    measured.tool.push(await cost(tool));
    measured.before.push(await cost(before));
  }
  const more = (which: 'tool' | 'before') =>
    spread(measured[which].map((milliseconds, round) => milliseconds - (measured.graphql[round] ?? 0)));
  rows.push([name, spread(measured.graphql), more('tool'), more('before')]);
}
console.log(table(['tool', 'over GraphQL, ms', 'more over MCP, ms', 'more over a version before, ms'], rows));
await gateway.stop();
await rm(folder, { recursive: true });
