import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from '../server.js';
import type { Attempt } from './history.js';

/** What the gateways logged since the last call that no failure of a part explains, with the causes of each 500. */
export function loggedFaults(gateways: Gateway[], attempts: Attempt[]): string[] {
  const failed = attempts.filter(({ status }) => status === 500).map(({ requestId }) => requestId);
  const pattern = new RegExp(['unhandled rejection', 'uncaught exception', 'FATAL ERROR', ...failed].join('|'));
  return gateways.flatMap((gateway) => gateway.newlyLogged(pattern));
}

const settings = {
  HOST: '127.0.0.1',
  DEMO: 'off',
  LOG_LEVEL: 'error',
  RATE_LIMIT_PER_TOKEN: '1000000000',
  RATE_LIMIT_PER_ADDRESS: '1000000000',
};

/** A gateway in its own process, which can be killed and started again at another address. */
export class Gateway {
  #server: Awaited<ReturnType<typeof startServer>> | undefined;
  #starting: Promise<void> | undefined;
  #read = 0;

  private constructor(readonly settings: Record<string, string>) {}

  static async start(own: Record<string, string>): Promise<Gateway> {
    const gateway = new Gateway({ ...settings, ...own });
    await gateway.restart();
    return gateway;
  }

  /** Undefined while it is down. */
  get base(): string | undefined {
    const { process: child, base } = this.#server ?? {};
    return child?.exitCode === null && child.signalCode === null ? base?.replace('localhost', '127.0.0.1') : undefined;
  }

  get pid(): number | undefined {
    return this.#server?.process.pid;
  }

  /** The lines of its log since the last call that match. */
  newlyLogged(pattern: RegExp): string[] {
    const log = this.#server?.log() ?? '';
    const added = log.slice(this.#read);
    this.#read = log.length;
    return added.split('\n').filter((line) => pattern.test(line));
  }

  async kill(): Promise<void> {
    await this.#starting;
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.process.kill('SIGKILL');
    await server.stop();
  }

  /** Starts it, again and again if the database is down. */
  restart(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#server = await startServer(this.settings, { quiet: true });
        this.#read = 0;
        return;
      } catch (error) {
        if (attempt === 10) throw error;
        await sleep(300);
      }
    }
  }
}
