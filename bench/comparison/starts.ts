import { startBuiltGateway } from '../../tools/builtGateway.js';
import { callersToken } from './dataset.js';

/** Starts the gateway several times on a database that is ready. Returns the milliseconds to each first answer. */
export async function starts(databaseUrl: string, times: number): Promise<number[]> {
  const all: number[] = [];
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
      all.push(performance.now() - startedAt);
      if (!text.includes('"id":"caller"')) throw new Error(`the first answer is ${answer.status}: ${text}`);
    } finally {
      await gateway.stop();
    }
  }
  return all;
}
