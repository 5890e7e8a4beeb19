import type { Logger } from 'pino';
import { createApp } from '../app.js';
import type { Config } from '../config.js';
import { type Database, openClient } from '../database/client.js';
import type { DatabaseError } from '../database/error.js';
import { purgeOutcomes } from '../database/idempotencyKeys.js';
import { openDatabase } from '../database/open.js';
import { type PurgedFile, purgeFiles } from '../database/purgeFiles.js';
import { purgeRegularly } from '../database/purgeRegularly.js';
import { createRateLimiters } from '../http/limits/rateLimiters.js';
import { createLogger, logDestination } from '../http/logger.js';
import { isLoopback } from '../http/loopback.js';
import { NodeServer } from '../http/nodeServer.js';
import { Overload } from '../http/overload.js';
import { DemoKey } from '../pages/demoKey.js';
import { apiRoot } from '../rest/apiRoot.js';
import { announce } from './announce.js';
import { untilBroken } from './lastDefense.js';
import { listen } from './listen.js';
import { nextCommands } from './nextCommands.js';
import { demoTokensFile, openDemo } from './openDemo.js';
import { openMetrics } from './openMetrics.js';
import { readPersistedDocuments } from './readPersistedDocuments.js';
import { untilStopped } from './untilStopped.js';

const closeMilliseconds = 3_000;
/** Connections for the demo's import and the purges, which may take longer than a request. */
export const maintenancePoolSize = 2;

export interface ServeOptions {
  /** Whether the embedded database gets the demo workspace, if it is empty, and its pages the demo's token. */
  demo?: boolean;
}

/**
 * Serves until SIGINT, SIGTERM or SIGHUP. Then it finishes running requests, for up to DRAIN_SECONDS, and stops the
 * embedded Postgres if it started one. A second signal ends the process at once.
 */
export async function serve(config: Config, { demo: withDemo = true }: ServeOptions = {}): Promise<void> {
  const stopped = untilStopped(config);
  const { persisted: source } = config;
  const persisted = source && { documents: readPersistedDocuments(source.path), only: source.only };
  const logger = createLogger(config.logLevel, logDestination(config.logFormat));
  const broken = untilBroken(logger);
  for (const { name, nearest } of config.misspelled) logger.warn(`${name} is no setting. Did you mean ${nearest}?`);
  const log = (message: string) => logger.info(message);
  let onLost: (error: DatabaseError) => void = () => {};
  const lost = new Promise<DatabaseError>((resolve) => {
    onLost = resolve;
  });
  const {
    db: maintained,
    url,
    applied,
    close,
  } = await openDatabase({ ...config, poolSize: maintenancePoolSize, log, onLost }, { migrations: 'apply' });
  const onError = (error: Error) => log(`a database connection broke: ${error.message}`);
  const db = openClient({ ...config, url, timeouts: config.databaseTimeouts, onError });
  let metrics: Awaited<ReturnType<typeof openMetrics>>;
  let cutOff = 0;
  try {
    if (applied.length > 0) logger.info({ applied }, 'migrated');
    const tokens = config.databaseUrl || !withDemo ? undefined : await openDemo(maintained, config.dataDir);
    await warmUp(db);
    metrics = await openMetrics(config, db, logger);
    const { preparedStatements } = config;
    const rateLimiters = createRateLimiters({ ...config.rateLimit, databaseUrl: url, preparedStatements });
    const key = tokens && isOnlyLocal(config) ? new DemoKey() : undefined;
    const demo = tokens && { token: tokens.write, readOnlyToken: tokens.readOnly, key };
    const stopping = new AbortController();
    const app = createApp({ ...config, db, logger, rateLimiters, demo, persisted, stopping: stopping.signal });
    const overload = new Overload(config.maxConcurrentRequests, logger);
    const nodeServer = new NodeServer({ ...config, app, logger, overload, metrics: metrics?.metrics });
    const next = tokens ? [] : await nextCommands(maintained);
    const base = await listen(nodeServer.server, config);
    const purges = [() => purgeOutcomes(maintained, new Date()), ...filePurges(config, maintained, logger)];
    const stopPurging = purgeRegularly(purges, (error) => logger.error({ err: error }, 'cannot purge'));
    const started = {
      graphql: `${base}/graphql`,
      rest: base + apiRoot,
      browser: key?.addressAt(base) ?? `${base}/`,
      metrics: metrics?.address,
      tokens: tokens && demoTokensFile(config.dataDir),
      next,
    };
    announce(started, config.logFormat);
    const failure = await Promise.race([stopped, broken, lost]);
    logger.info('stopping');
    stopping.abort();
    cutOff = await nodeServer.stop(config.drain);
    if (cutOff > 0) logger.warn({ requests: cutOff }, 'stopped before these requests were done');
    await stopPurging();
    await rateLimiters.close();
    if (failure) throw failure;
  } finally {
    if (cutOff > 0) exitAfter(closeMilliseconds);
    await metrics?.close();
    await Promise.all([db.$disconnect(), close()]);
    // Not now: the command line still reports a failure and sets the exit code.
    if (cutOff > 0) setImmediate(() => process.exit());
  }
}

/** Exits in any case: requests that were cut off may hold on to their connections to the database. */
const exitAfter = (milliseconds: number) => setTimeout(() => process.exit(), milliseconds);

/** Whether only browsers on this machine can reach the pages, which may then show the demo's token. */
function isOnlyLocal({ host, appUrl, publicUrl = appUrl }: Config): boolean {
  return [host, new URL(appUrl).hostname, new URL(publicUrl).hostname].every(isLoopback);
}

/** Runs a query, because the first one starts the query compiler (about 100 ms) and no caller should wait for that. */
export const warmUp = (db: Database) =>
  db.apiToken.findFirst({ where: { id: '' }, select: { person: { select: { id: true } } } });

/** Removes deleted files for good once they are older than FILE_RETENTION_DAYS; logs what it removed. */
export function filePurges(
  { fileRetentionDays: days }: Config,
  db: Database,
  logger: Logger,
): (() => Promise<unknown>)[] {
  if (days === undefined) return [];
  const onPurged = (files: PurgedFile[]) => {
    for (const { id, companyId, name, url } of files) logger.info({ id, companyId, name, url }, 'removed for good');
  };
  return [() => purgeFiles(db, new Date(Date.now() - days * 86_400_000), onPurged)];
}
