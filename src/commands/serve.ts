import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { openDatabase } from '../database.js';
import { maintenancePoolSize, openGateway, openMetrics, purgeWhileServing, tryListening } from '../gateway.js';
import { DemoKey, startLabel } from '../pages/demoAccess.js';
import { isLoopback } from '../platform/http/index.js';
import { isAbsent, reasonOf } from '../platform/postgres/index.js';
import { exitInTime, untilStopped, untilUncaughtError } from '../platform/process/index.js';
import { unusedParameters } from '../platform/settings/index.js';
import { createLogger, logDestination, type ReadMetrics, watchFiles } from '../platform/telemetry/index.js';
import { apiRoot } from '../rest/routes.js';
import type { Config } from '../settings.js';
import { version } from '../version.js';
import { nextCommands } from './nextCommands.js';

export interface Started {
  graphql: string;
  rest: string;
  /** The address to open. On the demo it has a secret, with which the pages show the demo's token. */
  browser: string;
  metrics?: string | undefined;
  tokens?: string | undefined;
  /** Commands that the database needs before anybody can call the gateway. */
  next: string[];
}

type Paint = (style: 'bold' | 'cyan' | 'gray', text: string) => string;

/** Says where the gateway is and what to do now: in a terminal as a few lines, for programs as one line of JSON. */
export function announce(
  started: Started,
  format: 'auto' | 'json' | 'pretty',
  stdout: NodeJS.WriteStream = process.stdout,
): void {
  const isJson = format === 'json' || (format === 'auto' && !stdout.isTTY);
  if (isJson) {
    // Where both streams end in one log, as in systemd's journal, it is a line like the others.
    stdout.write(`${JSON.stringify({ level: 30, time: Date.now(), msg: 'ready', ...started })}\n`);
    return;
  }
  stdout.write(banner(started, (style, text) => styleText(style, text, { stream: stdout })));
}

function banner({ graphql, rest, browser, metrics, tokens, next }: Started, paint: Paint): string {
  const rows: [label: string, text: string | undefined][] = [
    [startLabel, paint('cyan', browser)],
    ['GraphQL', graphql],
    ['REST', rest],
    ['Metrics', metrics],
    ['Tokens', tokens && `${tokens} ("write" and "readOnly")`],
    ['Next', next.join('\n') || undefined],
    ['Try', tokens && 'the requests on that page, or "Make a call" in README.md'],
    ['Stop', 'Ctrl-C'],
  ];
  const lines = rows.flatMap(([label, text]) =>
    (text?.split('\n') ?? []).map((line, index) => `${paint('gray', (index === 0 ? label : '').padEnd(7))} ${line}`),
  );
  const title = `Goalpost ${version} is ready${tokens ? ', with a demo workspace' : ''}.`;
  return `\n${paint('bold', title)}\n\n${lines.join('\n')}\n\n`;
}

/** What is counted before anything serves. */
const nothingYet: ReadMetrics = { text: '', contentType: 'text/plain' };
const noDatabase: ReadMetrics = { ...nothingYet, text: 'goalpost_database_up 0\n' };

const retryMilliseconds = 1_000;

/** Opens a database once it is there: a machine starts both in any order, and a supervisor gives up some day. */
async function awaited<Opened>(open: () => Promise<Opened>, onAbsent: (reason: string) => void): Promise<Opened> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isAbsent(error)) throw error;
      onAbsent(reasonOf(error));
      await sleep(retryMilliseconds);
    }
  }
}

interface ServeOptions {
  /** Whether the embedded database gets the demo workspace, if it is empty, and its pages the demo's token. */
  demo?: boolean;
}

/** Serves until a signal, then finishes running requests for up to DRAIN_SECONDS. A second signal ends it at once. */
export async function serve(config: Config, { demo: withDemo = true }: ServeOptions = {}): Promise<void> {
  const stopped = untilStopped(config);
  await tryListening(config);
  const logger = createLogger(config.logLevel, logDestination(config.logFormat));
  const broken = untilUncaughtError(logger);
  for (const { name, nearest } of config.misspelled) logger.warn(`${name} is not a setting. Did you mean ${nearest}?`);
  const unused = unusedParameters(config.databaseUrl);
  if (unused) logger.warn(unused);
  const log = (message: string) => logger.info(message);
  let metrics: Awaited<ReturnType<typeof openMetrics>>;
  let serving: Awaited<ReturnType<typeof openGateway>> | undefined;
  // A migration may wait for minutes, and what it has not finished is rolled back. The embedded server is stopped in order.
  if (config.databaseUrl)
    void stopped.then(() => {
      if (!serving) process.exit();
    });
  let waiting: string | undefined;
  const read = async () => serving?.metrics?.read() ?? (waiting ? noDatabase : nothingYet);
  metrics = await openMetrics(config, read, logger);
  /** All that needs the database. None of it remains if that is lost meanwhile. */
  const open = async () => {
    const opened = await openDatabase({ ...config, poolSize: maintenancePoolSize, log }, { migrations: 'apply' });
    const { db, url, applied } = opened;
    try {
      if (applied.length > 0) logger.info({ migrations: applied.length, last: applied.at(-1) }, 'migrated');
      // Its import takes a tenth of the time that the gateway needs to start.
      const demo = config.databaseUrl || !withDemo ? undefined : await import('./demo.js');
      const tokens = await demo?.openDemo(db, config.dataDir);
      const key = tokens && isOnlyLocal(config) ? new DemoKey() : undefined;
      const webhookKey = (tokens && (await demo?.openWebhookKey(config.dataDir))) ?? '';
      const tokensFile = demo?.demoTokensFile(config.dataDir) ?? '';
      const job = { url, demo: tokens && { tokens, key, webhookKey } };
      const next = tokens ? [] : await nextCommands(db);
      return { ...opened, gateway: await openGateway(config, job, logger), key, tokens: tokens && tokensFile, next };
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
  const onAbsent = (reason: string) => {
    if (!waiting) logger.warn({ reason }, 'waiting for the database');
    waiting = reason;
  };
  const opened = await (config.databaseUrl ? awaited(open, onAbsent) : open()).catch(async (error) => {
    await metrics?.close();
    throw error;
  });
  if (waiting) logger.warn('the database is there');
  const { db: maintained, gateway, key, tokens, next, close } = opened;
  serving = gateway;
  let cutOff = 0;
  try {
    const { base } = gateway;
    const stopPurging = purgeWhileServing(config, maintained, logger);
    const stopWatching = watchFiles(logger);
    const started = {
      graphql: `${base}/graphql`,
      rest: base + apiRoot,
      browser: key?.addressAt(base) ?? `${base}/`,
      metrics: metrics?.address,
      tokens,
      next,
    };
    announce(started, config.logFormat);
    await Promise.race([stopped, broken]);
    logger.info('stopping');
    stopWatching();
    cutOff = await gateway.stop();
    await stopPurging();
  } finally {
    await exitInTime(cutOff, async () => {
      await metrics?.close();
      await Promise.all([gateway.close(), close()]);
    });
  }
}

/** Whether only browsers on this machine can reach the pages, which may then show the demo's token. */
function isOnlyLocal({ host, appUrl, publicUrl = appUrl }: Config): boolean {
  return [host, new URL(appUrl).hostname, new URL(publicUrl).hostname].every(isLoopback);
}
