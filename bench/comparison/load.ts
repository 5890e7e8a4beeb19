import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import type { Spelling } from './calls.js';
import type { Next, Step } from './workloads.js';

/** Whom the requests are for. */
export interface Asked {
  base: string;
  spelling: Spelling;
  /** The HTTP status of a conflict. */
  conflict: number;
}

export interface Load {
  /** Milliseconds of each answer that is as the workload expects. */
  latencies: number[];
  /** The other answers. */
  failures: string[];
  seconds: number;
}

/** Asks over one connection, checks the answer and records it. The latency counts from `since`. */
async function ask(
  client: Client,
  asked: Asked,
  step: Step,
  { latencies, failures }: Load,
  since: number,
): Promise<void> {
  const { path, body } = asked.spelling(step.call);
  const headers = {
    authorization: `Bearer ${step.token}`,
    'content-type': 'application/json',
    ...(step.idempotencyKey && { 'idempotency-key': step.idempotencyKey }),
  };
  const { statusCode, text } = await client
    .request({ path, method: 'POST', headers, body })
    .then(async (answer) => ({ statusCode: answer.statusCode, text: await answer.body.text() }))
    .catch((error: Error) => ({ statusCode: 0, text: error.message }));
  const hasStatus = statusCode === (step.status === 409 ? asked.conflict : step.status);
  const isExpected = hasStatus && step.contains.test(text) && !(step.status === 200 && text.includes('"errors":['));
  step.done(isExpected);
  if (isExpected) latencies.push(performance.now() - since);
  else failures.push(`${statusCode} to ${body.slice(0, 300)}: ${text.slice(0, 500)}`);
}

/** A closed loop: each connection asks as soon as it is answered. Ends early if the workload has no more requests. */
export async function closedLoop(asked: Asked, next: Next, connections: number, seconds: number): Promise<Load> {
  const clients = Array.from({ length: connections }, () => new Client(asked.base));
  const load: Load = { latencies: [], failures: [], seconds };
  const start = performance.now();
  const end = start + seconds * 1000;
  const run = async (client: Client) => {
    for (let step = next(); step; step = performance.now() < end ? next() : undefined) {
      await ask(client, asked, step, load, performance.now());
    }
  };
  await Promise.all(clients.map(run));
  load.seconds = (performance.now() - start) / 1000;
  await Promise.all(clients.map((client) => client.destroy()));
  return load;
}

const mostConnections = 64;

/**
 * A fixed rate, whether or not earlier requests are answered. A latency counts from the moment at which the request was
 * due, so that a contender that stalls is charged for all who wait meanwhile.
 */
export async function fixedRate(asked: Asked, next: Next, rate: number, seconds: number): Promise<Load> {
  const load: Load = { latencies: [], failures: [], seconds };
  const clients: Client[] = [];
  const idle: Client[] = [];
  const overdue: number[] = [];
  const sending: Promise<void>[] = [];

  const sendAll = async (client: Client, first: number) => {
    for (let due: number | undefined = first; due !== undefined; due = overdue.shift()) {
      const step = next();
      if (step) await ask(client, asked, step, load, due);
    }
    idle.push(client);
  };
  const open = () => {
    if (clients.length === mostConnections) return undefined;
    clients.push(new Client(asked.base));
    return clients.at(-1);
  };
  const start = performance.now();
  const total = Math.round(rate * seconds);
  for (let sent = 0; sent < total; ) {
    const dueByNow = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1000));
    for (; sent < dueByNow; sent++) {
      const due = start + (sent * 1000) / rate;
      const client = idle.pop() ?? open();
      if (client) sending.push(sendAll(client, due));
      else overdue.push(due);
    }
    await sleep(1);
  }
  await Promise.all(sending);
  load.seconds = (performance.now() - start) / 1000;
  await Promise.all(clients.map((client) => client.destroy()));
  return load;
}
