import type { Worker } from 'node:cluster';
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import { type Figures, type ReadMetrics, SumOfMetrics } from '../telemetry/index.js';

/** What the primary process tells a worker. */
export type ToWorker<Job> =
  /** `worker` is its number, from 1; the one that takes the place of a worker that has ended gets the same. */
  { kind: 'start'; worker: number; job: Job } | { kind: 'figures' } | { kind: 'stop' };

/** What a worker tells the primary process. */
export type FromWorker =
  | { kind: 'started' }
  /** It serves, at this address. */
  | { kind: 'serves'; base: string }
  | { kind: 'figures'; figures: Figures };

/** A worker could not start. It has said why itself. */
export class WorkerFailed extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('A worker could not start.');
    this.exitCode = exitCode;
  }
}

/** How a worker ended. */
interface Ending {
  code: number | null;
  signal: string | null;
}

/** How long a scrape waits for a worker that is busy. */
const figuresMilliseconds = 2_000;

/** Has a worker report its figures, and waits for them, but not for long. */
async function askForFigures(worker: Worker): Promise<void> {
  if (!worker.isConnected()) return;
  const reported = new Promise<void>((resolve) => {
    const onMessage = ({ kind }: FromWorker) => kind === 'figures' && done();
    const done = () => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', done);
      resolve();
    };
    const timer = setTimeout(done, figuresMilliseconds);
    worker.on('message', onMessage).once('exit', done);
  });
  tellWorker<never>(worker, { kind: 'figures' });
  await reported;
}

/** Once it has exited, and every message that it sent before has arrived. */
async function endOf(worker: Worker): Promise<Ending> {
  const disconnected = new Promise<void>((resolve) => {
    worker.once('disconnect', resolve);
  });
  const ending = await new Promise<Ending>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
  });
  if (worker.isConnected()) await disconnected;
  return ending;
}

/** Sends a message, unless the worker is gone. */
function tellWorker<Job>(worker: Worker, message: ToWorker<Job>): void {
  if (worker.isConnected()) worker.send(message);
}

interface Forked {
  worker: Worker;
  /** Its address. Fails with WorkerFailed if it ends before it serves. */
  serves: Promise<string>;
  ended: Promise<Ending>;
}

/** How long to wait before a worker is started again, which doubles while it does not last. */
const pauses = { least: 500, most: 30_000, lasting: 60_000 };
/** What a worker may take to end, besides its drain. */
const endMilliseconds = 10_000;

interface WorkersConfig {
  /** How many. */
  workers: number;
  /** With the store `memory` this process counts for all workers. */
  rateLimit: { store: string };
  /** How long a worker may take to finish its requests, and before that to be taken out of service. */
  drain: { milliseconds: number; delayMilliseconds: number };
}

/** Processes that serve at one address. One that ends is started again. */
export class Workers<Job> {
  readonly #config: WorkersConfig;
  readonly #job: Job;
  readonly #logger: Logger;
  readonly #workers = new Map<number, Forked>();
  readonly #metrics = new SumOfMetrics();
  #isStopping = false;

  constructor(config: WorkersConfig, job: Job, logger: Logger) {
    this.#config = config;
    this.#job = job;
    this.#logger = logger;
  }

  /** Returns the address. The first worker goes ahead, so that what keeps all of them from serving is said once. */
  async start(): Promise<string> {
    if (this.#config.rateLimit.store === 'memory') new RateLimiterClusterMaster();
    const base = await this.#fork(1).serves;
    const others = Array.from({ length: this.#config.workers - 1 }, (_, index) => this.#fork(index + 2));
    await Promise.all(others.map(({ serves }) => serves));
    for (const number of this.#workers.keys()) void this.#keep(number);
    return base;
  }

  /** The metrics of all workers, added up. */
  async read(): Promise<ReadMetrics> {
    await Promise.all([...this.#workers].map(([, forked]) => askForFigures(forked.worker)));
    return this.#metrics.read();
  }

  /** Has every worker finish its running requests, and waits until they have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const { milliseconds, delayMilliseconds } = this.#config.drain;
    const running = [...this.#workers.values()];
    for (const { worker } of running) tellWorker<Job>(worker, { kind: 'stop' });
    const ended = Promise.all(running.map((forked) => forked.ended));
    await Promise.race([ended, sleep(milliseconds + delayMilliseconds + endMilliseconds, undefined, { ref: false })]);
    for (const { worker } of running) worker.process.kill('SIGKILL');
    await ended;
  }

  #fork(number: number): Forked {
    const worker = cluster.fork();
    // A message to a worker that has just ended.
    worker.on('error', () => {});
    const ended = endOf(worker);
    let hasServed = false;
    const serves = new Promise<string>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'started') tellWorker(worker, { kind: 'start', worker: number, job: this.#job });
        else if (message.kind === 'serves') {
          hasServed = true;
          resolve(message.base);
        } else if (message.kind === 'figures') this.#metrics.note(worker.id, message.figures);
      });
      void ended.then(async ({ code, signal }) => {
        await this.#metrics.end(worker.id);
        if (signal && !hasServed)
          this.#logger.error({ worker: number, signal }, 'a worker was killed before it served');
        reject(new WorkerFailed(code || 1));
      });
    });
    const forked = { worker, serves, ended };
    this.#workers.set(number, forked);
    return forked;
  }

  /** Starts a worker again whenever it ends: at once if it has lasted, otherwise after a pause. */
  async #keep(number: number): Promise<void> {
    for (let pause = 0; ; pause = Math.min(Math.max(2 * pause, pauses.least), pauses.most)) {
      const startedAt = performance.now();
      const { code, signal } = (await this.#workers.get(number)?.ended) ?? {};
      if (this.#isStopping) return;
      if (performance.now() - startedAt > pauses.lasting) pause = 0;
      this.#logger.error({ worker: number, code, signal, pause }, 'a worker ended unexpectedly; starting another');
      await sleep(pause, undefined, { ref: false });
      if (this.#isStopping) return;
      this.#fork(number).serves.then(
        () => this.#logger.info({ worker: number }, 'a worker serves again'),
        () => {},
      );
    }
  }
}
