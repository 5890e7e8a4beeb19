import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Started } from '../src/commands/serve.js';
import { cpuOf, residentMegabytes } from '../test/support/processes.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The built gateway in a process of its own, as the programs measure it. */
export async function startBuiltGateway(settings: Record<string, string>, options: string[] = []) {
  const child = spawn(process.execPath, [main, 'serve', ...options], {
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'fatal',
      RATE_LIMIT_PER_TOKEN: '1000000000',
      RATE_LIMIT_PER_ADDRESS: '1000000000',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  for await (const line of createInterface(child.stdout)) {
    child.stdout.resume();
    const announced: Started = JSON.parse(line);
    const { pid = 0 } = child;
    return {
      base: new URL(announced.graphql).origin,
      announced,
      pid,
      exited,
      stop,
      megabytes: () => residentMegabytes(pid),
      cpuSeconds: () => cpuOf(pid),
    };
  }
  throw new Error('the gateway did not start');
}
