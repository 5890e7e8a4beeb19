import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from './server.js';

const shortestPause = 100;
const longestPause = 30_000;
/** A server that ran for so long is started again at once. */
const steadyMilliseconds = 60_000;

/** Starts the server again, at the same port, whenever it dies. The pauses grow while it does not stay up. */
export function keepRunning(
  server: Server,
  start: (port: number) => Promise<Server>,
  log: (message: string) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let current: Server | undefined = server;

  async function watch(): Promise<void> {
    for (let pause = shortestPause; ; pause = Math.min(2 * pause, longestPause)) {
      const since = Date.now();
      await current?.process.gone;
      if (signal.aborted) return;
      if (current) log(`PostgreSQL stopped unexpectedly:\n${current.process.output()}`);
      if (Date.now() - since > steadyMilliseconds) pause = shortestPause;
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      current = await again();
      if (signal.aborted) current?.process.stop();
    }
  }

  async function again(): Promise<Server | undefined> {
    try {
      const started = await start(server.port);
      log('PostgreSQL is running again');
      return started;
    } catch (error) {
      log(`PostgreSQL could not be started again; trying on. ${(error as Error).message}`);
      return undefined;
    }
  }

  const watching = watch();
  const stop = async () => {
    stopping.abort();
    current?.process.stop();
    await watching;
  };
  return { stop };
}
