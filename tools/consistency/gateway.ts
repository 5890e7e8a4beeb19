import { setTimeout as sleep } from 'node:timers/promises';
import { webhookKey } from '../../test/support/deliveries.js';
import { startServer } from '../../test/support/server.js';
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
  WEBHOOK_KEY: webhookKey,
  WEBHOOK_ALLOW: '127.0.0.0/8',
};

const retireMilliseconds = 500;

/** A gateway in its own process, which can be killed and started again at another address. */
export class Gateway {
  #server: Awaited<ReturnType<typeof startServer>> | undefined;
  #starting: Promise<void> | undefined;
  #read = 0;
  #isRetired = false;
  #main: string | undefined;

  private constructor(
    readonly settings: Record<string, string>,
    main: string | undefined,
  ) {
    this.#main = main;
  }

  /** `main` is the file that Node runs, by default this checkout's. */
  static async start(own: Record<string, string>, main?: string): Promise<Gateway> {
    const gateway = new Gateway({ ...settings, ...own }, main);
    await gateway.restart();
    return gateway;
  }

  /** Undefined while it is down, and before it is replaced. */
  get base(): string | undefined {
    if (this.#isRetired) return undefined;
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

  /** Sends it no more requests, as a balancer would, stops it, and starts another program in its place. */
  async replace(main: string): Promise<void> {
    this.#isRetired = true;
    await sleep(retireMilliseconds);
    await this.#server?.stop();
    this.#main = main;
    await this.restart();
    this.#isRetired = false;
  }

  /** Starts it, again and again if the database is down. */
  restart(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    // PgBouncer refuses for 15 seconds after it could not log in.
    for (const end = performance.now() + 40_000; ; ) {
      try {
        this.#server = await startServer(this.settings, { quiet: true, ...(this.#main && { main: this.#main }) });
        this.#read = 0;
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
        await sleep(300);
      }
    }
  }
}
