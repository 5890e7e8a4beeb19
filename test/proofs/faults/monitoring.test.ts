import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pathOf } from '../../support/documents.js';
import { alerts, alertsFile } from '../../support/monitoring.js';

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

const isMissing = spawnSync('promtool', ['--version']).error !== undefined;

// Without Prometheus the tests are skipped; with CI=true they fail.
describe.skipIf(isMissing && process.env.CI !== 'true')('an alert', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'goalpost-prometheus-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each(alerts)('$name fires when it should, and not before', async ({ name }) => {
    const scene = firing[name];
    expect(scene).toBeDefined();
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
