import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from '../error.js';
import type { Server } from './server.js';

interface Reports {
  log: (message: string) => void;
  /** Called if the server died and is not started again. */
  onLost: (error: DatabaseError) => void;
}

const restartsAtMost = 5;
const pauseMilliseconds = 1_000;
const restartsWithin = 10 * 60_000;

/** Starts the server again, at the same port, when it dies: up to five times in ten minutes. */
export function keepRunning(
  server: Server,
  start: (port: number) => Promise<Server>,
  { log, onLost }: Reports,
): { stop(): Promise<void> } {
  let current = server;
  let stopping = false;
  const restarts: number[] = [];

  async function watch(): Promise<void> {
    for (;;) {
      await current.process.gone;
      if (stopping) return;
      const output = current.process.output();
      log(`PostgreSQL stopped unexpectedly:\n${output}`);
      const now = Date.now();
      while (restarts[0] !== undefined && now - restarts[0] > restartsWithin) restarts.shift();
      if (restarts.length === restartsAtMost)
        throw new DatabaseError(`PostgreSQL stopped unexpectedly ${restartsAtMost + 1} times:\n${output}`);
      restarts.push(now);
      try {
        current = await start(server.port);
        if (stopping) current.process.stop();
        log('PostgreSQL is running again');
      } catch (error) {
        log(`PostgreSQL could not be started again: ${(error as Error).message}`);
        await sleep(pauseMilliseconds);
      }
    }
  }

  const watching = watch().catch(onLost);
  const stop = async () => {
    stopping = true;
    current.process.stop();
    await watching;
  };
  return { stop };
}
