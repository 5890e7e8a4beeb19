import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Started } from '../../src/commands/announce.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The built gateway in a process of its own, as the programs measure it. */
export async function startBuiltGateway(settings: Record<string, string>) {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'fatal', RATE_LIMIT_PER_TOKEN: '1000000000', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  for await (const line of createInterface(child.stdout)) {
    child.stdout.resume();
    const { graphql }: Started = JSON.parse(line);
    return {
      base: new URL(graphql).origin,
      pid: child.pid ?? 0,
      exited,
      stop,
      megabytes: () => residentMegabytes(child.pid),
      cpuSeconds: () => cpuSeconds(child.pid),
    };
  }
  throw new Error('the gateway did not start');
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function cpuSeconds(pid: number | undefined): number {
  const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = afterName.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}
