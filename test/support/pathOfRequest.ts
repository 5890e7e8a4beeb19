// Run by `tsx`: serves the sources, and prints which files of `src` warm requests ran through.

import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/index.js';

const { DATABASE_URL: databaseUrl = '', TOKEN = '', REQUESTS = '[]' } = process.env;
const { listener, close } = await createApp({ databaseUrl, settings: { APP_URL: 'http://localhost' }, log: () => {} });
const server = createServer(listener).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

interface Sent {
  path: string;
  token: boolean;
  body: object;
}

async function send({ path, token, body }: Sent): Promise<number> {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${TOKEN}` }) },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** What it runs through, and what else happens meanwhile. */
async function pathOf(request: Sent) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  await session.post('Profiler.takePreciseCoverage');
  const status = await send(request);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ functions }) => functions.some(({ ranges: [whole] }) => whole?.count && whole.startOffset > 0))
    .flatMap(({ url }) => /\/src\/(.+\.ts)$/.exec(url)?.[1] ?? [])
    .filter((file) => file !== 'index.ts' && !file.startsWith('generated/'));
  return { status, files: [...new Set(files)].sort() };
}

const paths = [];
for (const { warm, measured } of JSON.parse(REQUESTS) as { warm: Sent[]; measured: Sent[] }[]) {
  for (const request of warm) await send(request);
  const found = [];
  for (const request of measured) found.push(await pathOf(request));
  const [first, ...others] = found;
  // What is in all of them is the path: a poll in the background is not.
  const files = first?.files.filter((file) => others.every((other) => other.files.includes(file)));
  paths.push({ status: first?.status, files });
}
process.stdout.write(`${JSON.stringify(paths)}\n`);
server.closeAllConnections();
server.close();
await close();
