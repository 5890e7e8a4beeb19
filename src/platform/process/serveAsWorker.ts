import type { Logger } from 'pino';
import type { Figures } from '../telemetry/index.js';
import { exitInTime, untilUncaughtError } from './stopping.js';
import type { FromWorker, ToWorker } from './workers.js';

/** What a worker serves with. */
interface Serving {
  base: string;
  metrics: { figures(): Promise<Figures> } | undefined;
  /** Finishes running requests. Returns how many it has cut off. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

interface WorkerOptions<Job> {
  loggerOf: (worker: number) => Logger;
  /** Opens what worker number `worker`, from 1, serves. */
  open: (worker: number, job: Job, logger: Logger) => Promise<Serving>;
}

type Start<Job> = Extract<ToWorker<Job>, { kind: 'start' }>;

const tell = (message: FromWorker) => void process.send?.(message);

/** Serves until the primary process says stop, or ends. Signals are the primary's: a terminal sends them to both. */
export async function serveAsWorker<Job>({ loggerOf, open }: WorkerOptions<Job>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  const started = told<Job>('start');
  const stopped = told<Job>('stop');
  tell({ kind: 'started' });
  const { worker, job } = (await started) as Start<Job>;
  const logger = loggerOf(worker);
  try {
    await serve(() => open(worker, job, logger), logger, stopped);
  } finally {
    // The channel to the primary would keep this process alive.
    setImmediate(() => process.exit());
  }
}

async function serve(open: () => Promise<Serving>, logger: Logger, stopped: Promise<unknown>): Promise<void> {
  const broken = untilUncaughtError(logger);
  const { base, metrics, stop, close } = await open();
  const report = async () => {
    if (metrics) tell({ kind: 'figures', figures: await metrics.figures() });
  };
  process.on('message', ({ kind }: ToWorker<unknown>) => kind === 'figures' && void report());
  tell({ kind: 'serves', base });
  await Promise.race([stopped, broken]);
  const cutOff = await stop();
  await report();
  await exitInTime(cutOff, close);
}

const told = <Job>(kind: ToWorker<Job>['kind']) =>
  new Promise<ToWorker<Job>>((resolve) => {
    process.on('message', (message: ToWorker<Job>) => message.kind === kind && resolve(message));
  });
