import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/platform/embedded/server.js';
import { Restorer } from '../../../tools/faults/restorer.js';
import { until, webhookKey } from '../../support/deliveries.js';
import { pathOf } from '../../support/documents.js';
import { commandOutput } from '../../support/goalpost.js';
import { alerts, alertsFile, panelExpressions } from '../../support/monitoring.js';
import { openStream } from '../../support/openStream.js';
import { startPostgres } from '../../support/postgres.js';
import { query } from '../../support/query.js';
import { startReceiver } from '../../support/receiver.js';
import { createRestorables } from '../../support/restorables.js';
import { startServer } from '../../support/server.js';
import type { Json } from '../../support/world.js';

interface Scene {
  fires: Record<string, string>;
  isQuiet: Record<string, string>;
}

const at = (metric: string, ...labels: string[]) =>
  `${metric}{${['job="goalpost"', 'instance="one"', ...labels].join(', ')}}`;

/** A value that stays for the 90 minutes that are looked at. */
const always = (value: number) => `${value}x95`;

/** Two counters or gauges, of which the first is near the limit of an alert. */
const pair = (first: string, high: string, low: string, second: string, values: string): Scene => ({
  fires: { [first]: high, [second]: values },
  isQuiet: { [first]: low, [second]: values },
});

const gauge = (metric: string, high: number, low: number): Scene => ({
  fires: { [metric]: always(high) },
  isQuiet: { [metric]: always(low) },
});

const requests = (status: string) => at('goalpost_requests_total', 'operation="goals"', `status="${status}"`);
/** A hundred successful requests a minute. */
const served = '0+100x95';

const bucket = (le: string) => at('goalpost_request_duration_seconds_bucket', 'operation="goals"', `le="${le}"`);
const durations = (faster: string) => ({ [bucket('1')]: faster, [bucket('2.5')]: served, [bucket('+Inf')]: served });

/** A counter that appears, or grows, shortly before it is looked at; and one that grew long ago. */
const recent = (metric: string): Scene => ({
  fires: { [metric]: '_x88 1x6' },
  isQuiet: { [metric]: '1x95' },
});

/** For each alert, figures for 90 minutes with which it fires, and figures just below its limit. */
const firing: Record<string, Scene> = {
  GoalpostImportRefused: gauge(at('goalpost_import_refused', 'company="acme"'), 1, 0),
  GoalpostImportsStopped: {
    fires: { [at('goalpost_import_timestamp_seconds', 'company="acme"')]: '-90000x95' },
    isQuiet: { [at('goalpost_import_timestamp_seconds', 'company="acme"')]: '0x95' },
  },
  GoalpostDown: { fires: { [at('up')]: '1x87 0x7' }, isQuiet: { [at('up')]: always(1) } },
  GoalpostUnavailable: pair(requests('503'), '0+10x95', '0+4x95', requests('200'), served),
  GoalpostBug: recent(at('goalpost_errors_total', 'operation="goals"', 'code="INTERNAL_SERVER_ERROR"')),
  GoalpostSlow: { fires: durations('0+98x95'), isQuiet: durations('0+100x95') },
  GoalpostRestarts: {
    fires: { [at('process_start_time_seconds')]: '1x80 2x2 3x2 4x2 5x6' },
    isQuiet: { [at('process_start_time_seconds')]: '1x80 2x2 3x2 4x10' },
  },
  GoalpostRateLimited: pair(requests('429'), '0+20x95', '0+10x95', requests('200'), served),
  GoalpostUnauthenticated: { fires: { [requests('401')]: '0+90x95' }, isQuiet: { [requests('401')]: '0+50x95' } },
  GoalpostStreamsNearlyFull: gauge(at('goalpost_streams'), 801, 800),
  GoalpostUnreadResponses: gauge(at('goalpost_unsent_bytes'), 51e6, 50e6),
  GoalpostPoolExhausted: pair(at('goalpost_pool_waiting'), always(1), always(0), at('goalpost_pool_idle'), always(0)),
  GoalpostConflicts: pair(
    at('goalpost_sql_repetitions_total', 'operation="reopenGoal"'),
    '0+11x95',
    '0+9x95',
    requests('200'),
    served,
  ),
  GoalpostDatabaseDown: {
    fires: { [at('goalpost_database_up')]: '1x87 0x7' },
    isQuiet: { [at('goalpost_database_up')]: always(1) },
  },
  GoalpostEventLag: gauge(at('goalpost_event_lag_seconds'), 61, 60),
  GoalpostWebhookLag: gauge(at('goalpost_webhook_lag_events'), 1001, 1000),
  GoalpostWebhooksFailing: gauge(at('goalpost_webhooks', 'state="failing"'), 1, 0),
  GoalpostWebhookDisabled: {
    fires: { [at('goalpost_webhooks', 'state="disabled"')]: '1x80 2x15' },
    isQuiet: { [at('goalpost_webhooks', 'state="disabled"')]: always(2) },
  },
  GoalpostWebhookGivenUp: recent(at('goalpost_webhook_attempts_total', 'outcome="given_up"')),
  GoalpostEventLoopLag: gauge(at('nodejs_eventloop_lag_p99_seconds'), 0.26, 0.25),
  GoalpostMemory: gauge(at('process_resident_memory_bytes'), 1.1e9, 1.05e9),
  GoalpostFileDescriptors: pair(at('process_open_fds'), always(850), always(800), at('process_max_fds'), always(1000)),
};

const isMissing = spawnSync('prometheus', ['--version']).error !== undefined;

// Without it the tests are skipped; with CI=true they fail.
describe.skipIf(isMissing && process.env.CI !== 'true')('on a real Prometheus', () => {
  let folder: string;
  const ends: (() => Promise<unknown>)[] = [];
  let prometheus: string;
  let url: string;

  const ask = async (path: string): Promise<Json> => (await fetch(`${prometheus}/api/v1/${path}`)).json();
  const evaluate = (expression: string) => ask(`query?query=${encodeURIComponent(expression)}`);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'goalpost-prometheus-'));
    const postgres = await startPostgres();
    ends.push(postgres.stop);
    ({ url } = postgres);
    const settings = {
      DATABASE_URL: postgres.url,
      METRICS_PORT: '0',
      RATE_LIMIT_PER_TOKEN: '1000000',
      WEBHOOK_KEY: webhookKey,
      WEBHOOK_ALLOW: '127.0.0.0/8',
    };
    await commandOutput(['migrate'], settings);
    const { token, documents } = await createRestorables(settings, 4);
    const server = await startServer(settings, { quiet: true });
    ends.push(server.stop);
    const receiver = await startReceiver();
    ends.push(receiver.close);
    await query(
      postgres.url,
      "INSERT INTO webhooks (company_id, url, slot, next_attempt_at) VALUES ('company', $1, 1, now())",
      [receiver.url],
    );
    await query(postgres.url, 'UPDATE imports SET revision = 1');
    // Every tenth change is repeated, as after a serialization failure. A sequence is not undone.
    await query(
      postgres.url,
      `CREATE SEQUENCE changes; CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF nextval('changes') % 10 = 0 THEN RAISE 'lost' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER lose BEFORE INSERT ON document_versions FOR EACH ROW EXECUTE FUNCTION lose()`,
    );
    const stream = await openStream(server.base, token);
    ends.push(async () => stream.close());

    const port = await freePort();
    prometheus = `http://127.0.0.1:${port}`;
    const { host } = new URL([server.announced.metrics ?? []].flat()[0] ?? '');
    const file = join(folder, 'prometheus.json');
    await writeFile(
      file,
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [pathOf(alertsFile)],
        scrape_configs: [{ job_name: 'goalpost', static_configs: [{ targets: [host] }] }],
      }),
    );
    const child = spawn(
      'prometheus',
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const exited = once(child, 'exit');
    ends.push(async () => {
      child.kill('SIGTERM');
      await exited;
    });
    const restorers = documents.map(
      (document) => new Restorer(server.base, token, document, { pauseMilliseconds: 50 }),
    );
    const running = restorers.map((restorer) => restorer.run());
    const timer = setInterval(() => {
      void server.client.graphql(token, '{ goals { nodes { id } } }');
      const key = { 'idempotency-key': 'once' };
      void server.client.graphql(token, 'mutation { reopenGoal(input: { id: "goal-0" }) { goal { id } } }', {}, key);
      void server.client.graphql(token, '{ goal(id: "nowhere") { id } }');
    }, 200);
    ends.push(async () => {
      clearInterval(timer);
      for (const restorer of restorers) restorer.stop();
      await Promise.all(running);
    });
    const scrapes = async () => {
      const answer = await evaluate('count_over_time(up{job="goalpost"}[1m])').catch(() => undefined);
      return Number(answer?.data?.result[0]?.value[1] ?? 0);
    };
    await until(scrapes, (count) => count > 12, 60_000);
  });

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(panelExpressions)('the dashboard shows $name', async ({ expression }) => {
    const { status, error, data } = await evaluate(expression);
    expect([status, error]).toEqual(['success', undefined]);
    expect(data.result).not.toEqual([]);
  });

  test('every alert is loaded and evaluated, and none fires', async () => {
    const { data } = await ask('rules');
    const rules = data.groups.flatMap((group: Json) => group.rules);
    expect(rules.map(({ name }: Json) => name).sort()).toEqual(alerts.map(({ name }) => name).sort());
    const ill = rules.filter(({ health, state }: Json) => health !== 'ok' || state === 'firing');
    expect(ill).toEqual([]);
  });

  test('an endpoint that never answers is seen from its first attempt on: what waits for it, and the alert', async () => {
    const silent = await startReceiver(() => {});
    ends.push(silent.close);
    const webhook = "INSERT INTO webhooks (company_id, url, slot, next_attempt_at) VALUES ('company', $1, 2, now())";
    await query(url, webhook, [silent.url]);
    const seen = async () => {
      const { data } = await ask('rules');
      const rules: Json[] = data.groups.flatMap((group: Json) => group.rules);
      const lag = await evaluate('max(goalpost_webhook_lag_events)');
      return {
        state: rules.find(({ name }) => name === 'GoalpostWebhooksFailing')?.state,
        lag: Number(lag.data.result[0]?.value[1]),
      };
    };
    await until(seen, ({ state, lag }) => state === 'pending' && lag >= 40, 120_000);
  });

  test.each(alerts)('$name fires when it should, and not before', async ({ name }) => {
    const scene = firing[name];
    expect(scene, 'test/support/firing.ts').toBeDefined();
    const fires = `count(ALERTS{alertname="${name}", alertstate="firing"})`;
    const testOf = (series: Record<string, string> | undefined, isFiring: boolean) => ({
      interval: '1m',
      input_series: Object.entries(series ?? {}).map(([each, values]) => ({ series: each, values })),
      promql_expr_test: [{ expr: fires, eval_time: '90m', exp_samples: isFiring ? [{ labels: '{}', value: 1 }] : [] }],
    });
    const file = join(folder, `${name}.json`);
    const tests = [testOf(scene?.fires, true), testOf(scene?.isQuiet, false)];
    await writeFile(file, JSON.stringify({ rule_files: [pathOf(alertsFile)], evaluation_interval: '1m', tests }));
    expect(execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
  });
});
