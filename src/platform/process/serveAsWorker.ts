import type { Logger } from 'pino';
import { openGateway } from '../../gateway.js';
import type { Config } from '../../settings.js';
import { createLogger, logDestination } from '../telemetry/index.js';
import { exitInTime, untilUncaughtError } from './stopping.js';
import type { FromWorker, ToWorker } from './workers.js';

type Start = ToWorker & { kind: 'start' };

const tell = (message: FromWorker) => void process.send?.(message);

/** Serves until the primary process says stop, or ends. Signals are the primary's: a terminal sends them to both. */
export async function serveAsWorker(config: Config): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  const started = told('start');
  const stopped = told('stop');
  tell({ kind: 'started' });
  const { worker, job } = (await started) as Start;
  const logger = createLogger(config.logLevel, logDestination(config.logFormat), { worker });
  try {
    await serveShare(shareOf(config, worker), job, logger, stopped);
  } finally {
    // The channel to the primary would keep this process alive.
    setImmediate(() => process.exit());
  }
}

async function serveShare(config: Config, job: Start['job'], logger: Logger, stopped: Promise<unknown>): Promise<void> {
  const broken = untilUncaughtError(logger);
  const { base, metrics, stop, close } = await openGateway(config, job, logger, { isWorker: true });
  const report = async () => {
    if (metrics) tell({ kind: 'figures', figures: await metrics.figures() });
  };
  process.on('message', ({ kind }: ToWorker) => kind === 'figures' && void report());
  tell({ kind: 'serves', base });
  await Promise.race([stopped, broken]);
  const cutOff = await stop();
  await report();
  await exitInTime(cutOff, close);
}

const told = (kind: ToWorker['kind']) =>
  new Promise<ToWorker>((resolve) => {
    process.on('message', (message: ToWorker) => message.kind === kind && resolve(message));
  });

/** What of the gateway's limits one worker gets. */
export function shareOf(config: Config, worker: number): Config {
  const part = (whole: number) =>
    Math.max(1, Math.floor(whole / config.workers) + (worker <= whole % config.workers ? 1 : 0));
  const { poolSize, maxConcurrentRequests, maxConnections, streamsMax } = config;
  return {
    ...config,
    poolSize: part(poolSize),
    maxConcurrentRequests: part(maxConcurrentRequests),
    maxConnections: part(maxConnections),
    streamsMax: streamsMax > 0 ? part(streamsMax) : 0,
  };
}
