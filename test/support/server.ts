import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Started } from '../../src/commands/serve.js';
import { Client } from './client.js';
import { built, builtMain } from './goalpost.js';
import type { Json } from './world.js';

/** `goalpost serve` in its own process, on a free port, with an embedded database unless the settings name one. */
export async function startServer(
  settings: Record<string, string | undefined> = {},
  { quiet = false, main = builtMain } = {},
) {
  await built();
  const directory = await mkdtemp(join(tmpdir(), 'goalpost-server-'));
  const child = spawn(process.execPath, [main, 'serve'], {
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'error',
      DATA_DIR: join(directory, 'data'),
      RATE_LIMIT_PER_ADDRESS: '1000000', // all tests have one address
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let [printed, log] = ['', ''];
  child.stdout.on('data', (text) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
    if (!quiet) process.stderr.write(text);
  });
  /** The lines of the log, as far as they are complete. */
  const lines = (): Json[] =>
    log
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  };
  for await (const line of createInterface(child.stdout)) {
    child.stdout.resume();
    const announced: Started = JSON.parse(line);
    const { port, pathname, search } = new URL(announced.browser);
    const base = `http://localhost:${port}`;
    const client = new Client(base);
    return {
      base,
      client,
      start: pathname + search,
      announced,
      process: child,
      exited,
      stop,
      lines,
      log: () => log,
      printed: () => printed + log,
    };
  }
  await stop();
  throw new Error('the server did not start');
}
