import { setTimeout as sleep } from 'node:timers/promises';
import { startBuiltGateway } from '../../support/builtGateway.js';
import { callersToken } from './dataset.js';

/** A start of the gateway on a database that is ready. */
export interface Start {
  /** To the first answer, from when its process is started. */
  milliseconds: number;
  /** The memory that it has some seconds later, without a request. */
  idleMegabytes: number;
}

const idleMilliseconds = 3_000;

/** Starts the gateway several times, and asks for the caller's name as soon as it listens. */
export async function starts(databaseUrl: string, times: number): Promise<Start[]> {
  const all: Start[] = [];
  for (let count = 0; count < times; count += 1) {
    const startedAt = performance.now();
    const gateway = await startBuiltGateway({ DATABASE_URL: databaseUrl, NODE_ENV: 'production' });
    try {
      const answer = await fetch(gateway.announced.graphql, {
        method: 'POST',
        headers: { authorization: `Bearer ${callersToken}`, 'content-type': 'application/json' },
        body: '{"query":"{ viewer { person { id } } }"}',
      });
      const text = await answer.text();
      const milliseconds = performance.now() - startedAt;
      if (!text.includes('"id":"caller"')) throw new Error(`the first answer is ${answer.status}: ${text}`);
      await sleep(idleMilliseconds);
      all.push({ milliseconds, idleMegabytes: gateway.megabytes() });
    } finally {
      await gateway.stop();
    }
  }
  return all;
}
