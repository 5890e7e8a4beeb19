import { expect, test } from 'vitest';
import { createWorld } from '../../support/world.js';

const world = await createWorld();

/** Milliseconds of processor time for each of many requests, the client's included. */
async function costOf(path: string, headers: Record<string, string>): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < 20; index += 1) {
    const response = await world.fetchAt(`http://localhost${path}`, { headers });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / 20;
}

const pages = ['/docs', '/graphql', '/guide/events'];

test.each(pages)('%s costs a stranger no more than a file', async (path) => {
  for (const encoding of ['gzip', 'identity']) {
    const headers = { accept: 'text/html', 'accept-encoding': encoding };
    const pages: number[] = [];
    const files: number[] = [];
    // In turns, because other files' tests may be at work, and the first round is slow.
    for (let round = 0; round < 8; round += 1) {
      pages.push(await costOf(path, headers));
      // Of about the same size, from memory.
      files.push(await costOf('/openapi.json', headers));
    }
    expect(Math.min(...pages)).toBeLessThan(Math.max(3 * Math.min(...files), 5));
  }
});

test('a page shows the host that was asked for, however many others were before', async () => {
  for (const index of [1, ...Array.from({ length: 20 }, (_, other) => other), 1]) {
    const response = await world.fetchAt(`http://host-${index}.example/docs`);
    const text = await response.text();
    expect(text).toContain(`http://host-${index}.example/api`);
    expect(text.match(/http:\/\/host-\d+\.example/g)?.every((host) => host === `http://host-${index}.example`)).toBe(
      true,
    );
  }
});
