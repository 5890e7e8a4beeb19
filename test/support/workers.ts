import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect } from 'vitest';
import { eventually } from './eventually.js';
import { samplesIn } from './scrape.js';
import { startServer } from './server.js';
import type { Json } from './world.js';

const viewer = { query: '{ viewer { person { id } } }' };

export type Running = Awaited<ReturnType<typeof startWorkers>>;

/** The built gateway with two workers. */
export async function startWorkers(settings: Record<string, string>) {
  const own = { WORKERS: '2', LOG_LEVEL: 'info', LOG_FORMAT: 'json', METRICS_PORT: '0', ...settings };
  const started = await startServer(own, { quiet: true });
  const { lines } = started;
  /** The process of each worker that has answered a request, by its number. */
  const pids = () => new Map<number, number>(lines().flatMap(({ worker, pid }) => (worker ? [[worker, pid]] : [])));
  return { ...started, pids };
}

export async function stop({ process: child, stop: end }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await end();
}

/** One request over a connection of its own. Undefined if that is lost, or was on its way to a worker that died. */
export async function ask(url: string, token: string, body: unknown = viewer): Promise<Json> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = request(url, { method: 'POST', headers, agent: new Agent(), signal: AbortSignal.timeout(30_000) });
  sent.end(JSON.stringify(body));
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await json(response) };
  } catch {
    return undefined;
  }
}

/** Asks until both workers have answered; with `known`, until one has that is not among these processes. */
export const untilBothServe = ({ base, pids }: Running, token: string, known: number[] = []) =>
  eventually(async () => {
    await ask(`${base}/graphql`, token);
    expect(pids().size).toBe(2);
    expect([...pids().values()].some((pid) => !known.includes(pid))).toBe(true);
  });

export const untilGone = (pids: Iterable<number>) =>
  Promise.all([...pids].map((pid) => eventually(() => expect(() => process.kill(pid, 0)).toThrow())));

export const scrape = async ({ announced }: Running) => {
  const response = await fetch(announced.metrics ?? '');
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  return samplesIn(await response.text());
};
