import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { startBuiltGateway } from '../support/builtGateway.js';
import { randomRequest } from '../support/randomQueries.js';

// How much memory a built gateway needs, with a heap of 512 MB and the embedded demo, after many requests:
// `npx tsx test/bench/memory.ts [large documents] [random requests]`

const [documents = 50_000, requests = 100_000] = process.argv.slice(2).map(Number);
const atOnce = 8;
const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

const directory = await mkdtemp(join(tmpdir(), 'goalpost-memory-'));
const gateway = await startBuiltGateway({
  DATA_DIR: join(directory, 'data'),
  NODE_OPTIONS: '--max-old-space-size=512',
});
const { graphql, tokens } = gateway.announced;
const { readOnly } = JSON.parse(readFileSync(tokens ?? '', 'utf8'));

async function send(request: object): Promise<void> {
  const response = await fetch(graphql, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${readOnly}` },
    body: JSON.stringify(request),
  });
  await response.arrayBuffer();
  if (response.status >= 500) throw new Error(`${response.status}: ${JSON.stringify(request)}`);
}

/** A different valid document of 12 kB and 3,000 tokens each time. */
const largeDocument = (number: number) => ({
  query: `{ previewGoalReopen(input: { id: "unknown", subscriberIds: [${'123, '.repeat(2400)}] }) { goal { id } } } #${number}`,
});

const known = { ids: ['goal-fewer-returns', 'goal-reading-community', 'unknown'], cursors: ['x'] };
const randomRequests = (count: number, seed: number) =>
  fc.sample(fc.gen(), { numRuns: count, seed }).map((draw) => randomRequest(schema, known, 'query', draw));

async function inParallel(count: number, run: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

let seed = 1;
async function random(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const batch = randomRequests(Math.min(1000, count - done), seed++);
    await inParallel(batch.length, (number) => send(batch[number] ?? {}));
  }
}

async function report(what: string, run: () => Promise<void>): Promise<number> {
  const start = Date.now();
  await run();
  const size = gateway.megabytes();
  console.log(`${what}: ${size} MB, ${Math.round((Date.now() - start) / 1000)} s`);
  return size;
}

await report('started', async () => {});
const early = Math.max(
  await report('1,000 large documents', () => inParallel(1000, (number) => send(largeDocument(number)))),
  await report('1,000 random requests', () => random(1000)),
);
const late = Math.max(
  await report(`${documents} large documents`, () =>
    inParallel(documents, (number) => send(largeDocument(1000 + number))),
  ),
  await report(`${requests} random requests`, () => random(requests)),
);
console.log(`ratio ${(late / early).toFixed(2)}`);
await gateway.stop();
await rm(directory, { recursive: true, maxRetries: 20 });
