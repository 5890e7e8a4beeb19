import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import { createApp } from '../app.js';
import { type Config, inUrl } from '../config.js';
import { type Database, openClient } from '../database/client.js';
import { purgeOutcomes } from '../database/idempotencyKeys.js';
import { openDatabase } from '../database/open.js';
import { type PurgedFile, purgeFiles } from '../database/purgeFiles.js';
import { purgeRegularly } from '../database/purgeRegularly.js';
import { createRateLimiters } from '../http/limits/rateLimiters.js';
import { createLogger } from '../http/logger.js';
import { isLoopback } from '../http/loopback.js';
import { curlCommands } from '../pages/curl.js';
import { untilBroken } from './lastDefense.js';
import { openDemo } from './openDemo.js';
import { readPersistedDocuments } from './readPersistedDocuments.js';
import { UsageError } from './usageError.js';

const drainMilliseconds = 10_000;

/**
 * Serves until SIGINT, SIGTERM or SIGHUP. Then it finishes running requests, for up to 10 seconds, and stops the
 * embedded Postgres if it started one.
 */
export async function serve(config: Config): Promise<void> {
  const stopped = untilStopped(config);
  const { persisted: source } = config;
  const persisted = source && { documents: readPersistedDocuments(source.path), only: source.only };
  const logger = createLogger(config.logLevel);
  const broken = untilBroken(logger);
  const log = (message: string) => logger.info(message);
  const { db: maintained, url, applied, close } = await openDatabase({ ...config, log }, { migrations: 'apply' });
  const onError = (error: Error) => log(`a database connection broke: ${error.message}`);
  const db = openClient({ ...config, url, timeouts: config.databaseTimeouts, onError });
  try {
    if (applied.length > 0) logger.info({ applied }, 'migrated');
    const tokens = config.databaseUrl ? undefined : await openDemo(maintained, config.dataDir);
    await warmUp(db);
    const rateLimiters = createRateLimiters({ ...config.rateLimit, databaseUrl: url });
    const demo = tokens && { token: tokens.write, onPages: isOnlyLocal(config) };
    const app = createApp({ ...config, db, logger, rateLimiters, demo, persisted });
    const server = createServer(app);
    const base = await listen(server, config);
    const purges = [() => purgeOutcomes(maintained, new Date()), ...filePurges(config, maintained, logger)];
    const stopPurging = purgeRegularly(purges, (error) => logger.error({ err: error }, 'cannot purge'));
    console.log(`GraphQL  ${base}/graphql`);
    console.log(`REST     ${base}/api/external/v1`);
    console.log(`Browser  ${base}/`);
    if (tokens) {
      console.log(`write token ${tokens.write}`);
      console.log(`read-only token ${tokens.readOnly}`);
      const { requests } = await app.workedExamples();
      for (const { lines } of curlCommands(base, tokens.write, requests)) console.log(lines.join(' '));
    }
    await Promise.race([stopped, broken]);
    logger.info('stopping');
    await drain(server);
    await stopPurging();
    await rateLimiters.close();
  } finally {
    await db.$disconnect();
    await close();
  }
}

function untilStopped({ underNpm }: Config): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
    // npm cannot forward SIGKILL. When it is killed, this process gets another parent.
    const parent = process.ppid;
    const orphaned = () => process.ppid !== parent && resolve();
    if (underNpm) setInterval(orphaned, 500).unref();
  });
}

/** Whether only browsers on this machine can reach the pages, which may then show the demo's token. */
function isOnlyLocal({ host, appUrl, publicUrl = appUrl }: Config): boolean {
  return [host, new URL(appUrl).hostname, new URL(publicUrl).hostname].every(isLoopback);
}

/** Runs a query, because the first one starts the query compiler (about 100 ms) and no caller should wait for that. */
const warmUp = (db: Database) =>
  db.apiToken.findFirst({ where: { id: '' }, select: { person: { select: { id: true } } } });

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new UsageError(`Port ${port} on ${host} is taken. Stop what uses it, or set another PORT.`)
          : error,
      ),
    );
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      resolve(`http://${inUrl(host)}:${bound}`);
    });
  });
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), drainMilliseconds).unref();
  });
}

/** Removes deleted files for good once they are older than FILE_RETENTION_DAYS; logs what it removed. */
function filePurges({ fileRetentionDays: days }: Config, db: Database, logger: Logger): (() => Promise<unknown>)[] {
  if (days === undefined) return [];
  const onPurged = (files: PurgedFile[]) => {
    for (const { id, companyId, name, url } of files) logger.info({ id, companyId, name, url }, 'removed for good');
  };
  return [() => purgeFiles(db, new Date(Date.now() - days * 86_400_000), onPurged)];
}
