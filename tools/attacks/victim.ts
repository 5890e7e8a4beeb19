import { setTimeout as sleep } from 'node:timers/promises';

// A process of its own, so that what the attackers' clients need delays none of its measurements: one cheap query at a
// time, for as many seconds as each message says.

/** What the victim saw. */
export interface Seen {
  milliseconds: number[];
  statuses: Record<string, number>;
}

const pause = 100;
const [, , base = '', token = '', query = ''] = process.argv;
const body = JSON.stringify({ query });
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

async function ask(): Promise<string> {
  try {
    const response = await fetch(`${base}/graphql`, { method: 'POST', headers, body });
    const { errors } = await response.json();
    return errors?.[0].extensions.code ?? String(response.status);
  } catch {
    return 'no response';
  }
}

process.on('message', async (seconds: number) => {
  const seen: Seen = { milliseconds: [], statuses: {} };
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    const start = performance.now();
    const status = await ask();
    seen.milliseconds.push(performance.now() - start);
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    await sleep(pause);
  }
  process.send?.(seen);
});
process.on('disconnect', () => process.exit());
