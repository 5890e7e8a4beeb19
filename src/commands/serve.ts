import { createServer, type Server } from 'node:http';
import { createApp } from '../app.js';
import type { Config } from '../config.js';
import type { Database } from '../database/client.js';
import { openDatabase } from '../database/open.js';
import { createLogger } from '../http/logger.js';
import { curlCommands } from './curl.js';
import { openDemo } from './demo.js';
import { UsageError } from './usageError.js';

const drainMilliseconds = 10_000;

/** Serves until SIGINT or SIGTERM; then finishes the requests it has, and stops the embedded Postgres if it started one. */
export async function serve(config: Config): Promise<void> {
  const stopped = untilStopped(config);
  const logger = createLogger(config.logLevel);
  const log = (message: string) => logger.info(message);
  const { db, applied, close } = await openDatabase({ ...config, log }, { bring: 'up to date' });
  try {
    if (applied.length > 0) logger.info({ applied }, 'migrated');
    const tokens = config.databaseUrl ? undefined : await openDemo(db, config.dataDir);
    await warmUp(db);
    const server = createServer(createApp({ ...config, db, logger }));
    const base = await listen(server, config);
    console.log(`GraphQL  ${base}/graphql`);
    console.log(`REST     ${base}/api/external/v1`);
    if (tokens) {
      console.log(`write token ${tokens.write}`);
      console.log(`read-only token ${tokens.readOnly}`);
      for (const command of await curlCommands(db, base, tokens.write)) console.log(command);
    }
    await stopped;
    logger.info('stopping');
    await drain(server);
  } finally {
    await close();
  }
}

function untilStopped({ underNpm }: Config): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
    // npm cannot pass on its own SIGKILL: what it started then has another parent.
    const parent = process.ppid;
    const orphaned = () => process.ppid !== parent && resolve();
    if (underNpm) setInterval(orphaned, 500).unref();
  });
}

/** The first query of a process starts the query compiler, about 100 ms: not on a caller's time. */
const warmUp = (db: Database) =>
  db.apiToken.findFirst({ where: { id: '' }, select: { person: { select: { id: true } } } });

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new UsageError(`Port ${port} on ${host} is taken. Stop what listens there, or set another PORT.`)
          : error,
      ),
    );
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      const name = host.includes(':') ? `[${host}]` : host;
      resolve(`http://${name}:${bound}`);
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
