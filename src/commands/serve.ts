import cluster from 'node:cluster';
import type { Config } from '../config/config.js';
import { openDatabase } from '../database/open.js';
import { isLoopback } from '../http/loopback.js';
import { DemoKey } from '../pages/demoKey.js';
import { apiRoot } from '../rest/apiRoot.js';
import { exitInTime } from '../server/exitInTime.js';
import { openMetrics } from '../server/openMetrics.js';
import { maintenancePoolSize, purgeWhileServing } from '../server/purgeWhileServing.js';
import { readPersistedDocuments } from '../server/readPersistedDocuments.js';
import { serveAsWorker } from '../server/serveAsWorker.js';
import { tryListening } from '../server/tryListening.js';
import { untilUncaughtError } from '../server/uncaughtErrors.js';
import { untilStopped } from '../server/untilStopped.js';
import { createLogger, logDestination } from '../telemetry/logger.js';
import { announce } from './announce.js';
import { demoTokensFile } from './demoTokens.js';
import { nextCommands } from './nextCommands.js';
import { openDemo, openWebhookKey } from './openDemo.js';
import { nothingYet, openServing, type Serving } from './serving.js';

export interface ServeOptions {
  /** Whether the embedded database gets the demo workspace, if it is empty, and its pages the demo's token. */
  demo?: boolean;
}

/**
 * Serves until SIGINT, SIGTERM or SIGHUP. Then it finishes running requests, for up to DRAIN_SECONDS, and stops the
 * embedded Postgres if it started one. A second signal ends the process at once.
 */
export async function serve(config: Config, { demo: withDemo = true }: ServeOptions = {}): Promise<void> {
  if (cluster.isWorker) return serveAsWorker(config);
  const stopped = untilStopped(config);
  if (config.persisted) readPersistedDocuments(config.persisted.path);
  await tryListening(config);
  const logger = createLogger(config.logLevel, logDestination(config.logFormat));
  const broken = untilUncaughtError(logger);
  for (const { name, nearest } of config.misspelled) logger.warn(`${name} is not a setting. Did you mean ${nearest}?`);
  const log = (message: string) => logger.info(message);
  let metrics: Awaited<ReturnType<typeof openMetrics>>;
  let serving: Serving | undefined;
  // A migration may wait for minutes, and what it has not finished is rolled back. The embedded server is stopped in order.
  if (config.databaseUrl)
    void stopped.then(() => {
      if (!serving) process.exit();
    });
  const {
    db: maintained,
    url,
    applied,
    close,
  } = await openDatabase({ ...config, poolSize: maintenancePoolSize, log }, { migrations: 'apply' });
  let cutOff = 0;
  try {
    if (applied.length > 0) logger.info({ applied }, 'migrated');
    const tokens = config.databaseUrl || !withDemo ? undefined : await openDemo(maintained, config.dataDir);
    const key = tokens && isOnlyLocal(config) ? new DemoKey() : undefined;
    const webhookKey = tokens ? await openWebhookKey(config.dataDir) : '';
    const job = { url, demo: tokens && { tokens, secrets: key?.secrets, webhookKey } };
    metrics = await openMetrics(config, async () => serving?.readMetrics() ?? nothingYet, logger);
    const next = tokens ? [] : await nextCommands(maintained);
    serving = await openServing(config, job, logger);
    const { base } = serving;
    const stopPurging = purgeWhileServing(config, maintained, logger);
    const started = {
      graphql: `${base}/graphql`,
      rest: base + apiRoot,
      browser: key?.addressAt(base) ?? `${base}/`,
      metrics: metrics?.address,
      tokens: tokens && demoTokensFile(config.dataDir),
      next,
    };
    announce(started, config.logFormat);
    await Promise.race([stopped, broken]);
    logger.info('stopping');
    cutOff = await serving.stop();
    await stopPurging();
  } finally {
    await exitInTime(cutOff, async () => {
      await metrics?.close();
      await Promise.all([serving?.close(), close()]);
    });
  }
}

/** Whether only browsers on this machine can reach the pages, which may then show the demo's token. */
function isOnlyLocal({ host, appUrl, publicUrl = appUrl }: Config): boolean {
  return [host, new URL(appUrl).hostname, new URL(publicUrl).hostname].every(isLoopback);
}
