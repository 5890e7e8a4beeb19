import { describe, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/telemetry/logger.js';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import { MetricsServer } from '../../src/platform/telemetry/metricsServer.js';
import { RequestRecord } from '../../src/platform/telemetry/telemetry.js';
import { importGauges } from '../../src/workspace/lastImports.js';
import { anchorOf, blocksOf, headingsOf, proseOf, textOf } from '../support/documents.js';
import { alerts, groupsIn, metricsIn, panelExpressions } from '../support/monitoring.js';
import { query } from '../support/query.js';
import { samplesIn } from '../support/scrape.js';
import { listening, temporaryDatabase } from '../support/temporary.js';

const runbook = textOf('docs/runbook.md');

/** The labels of every sample that /metrics can have, by its name. */
async function labelsOfSamples(): Promise<Map<string, string[]>> {
  const metrics = new Metrics({
    poolSize: 1,
    connections: () => ({ open: 1, idle: 1, waiting: 0 }),
    ...{ unsentBytes: () => 0, streams: () => 0, isDatabaseUp: () => true },
    webhooks: () => ({ active: 1, failing: 0, disabled: 0, lag: 0, unnumbered: 0 }),
    gauges: importGauges(() => [
      { companyId: 'acme', revision: 1, importedAt: new Date(), refusedAt: null, refusedReason: null },
    ]),
  });
  const record = Object.assign(new RequestRecord({ requestId: 'one' }), { repetitions: 1 });
  record.codes.add('NOT_FOUND');
  metrics.count(record, { status: 404, seconds: 1, isReplay: true });
  metrics.countAttempt('acknowledged', 1);
  const metricsServer = new MetricsServer(metrics, createLogger('silent'));
  const port = await listening(metricsServer.server);
  const samples = samplesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  return new Map(samples.map(({ name, labels }) => [name, Object.keys(labels)]));
}

const samples = await labelsOfSamples();
/** Prometheus adds these to every sample. */
const added = ['job', 'instance'];

describe.each([...alerts.map(({ name, expression }) => ({ name, expression })), ...panelExpressions])(
  '$name',
  ({ expression }) => {
    test('asks for metrics and labels that /metrics has', () => {
      const metrics = metricsIn(expression);
      expect(metrics.length + Number(/\bup\b/.test(expression))).toBeGreaterThan(0);
      expect(metrics.filter(({ name }) => !samples.has(name))).toEqual([]);
      const known = [...added, ...metrics.flatMap(({ name }) => samples.get(name) ?? [])];
      const unknown = metrics.flatMap(({ name, labels }) =>
        labels.filter((label) => ![...added, ...(samples.get(name) ?? [])].includes(label)),
      );
      expect([...unknown, ...groupsIn(expression).filter((label) => !known.includes(label))]).toEqual([]);
    });
  },
);

describe('the dashboard', () => {
  test('shows every metric of the gateway', () => {
    const shown = panelExpressions.flatMap(({ expression }) => metricsIn(expression).map(({ name }) => name));
    const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const own = [...samples.keys()].filter((name) => name.startsWith('goalpost_')).map(base);
    expect(own.filter((name) => !shown.map(base).includes(name))).toEqual([]);
  });
});

describe('the runbook', () => {
  const entries = headingsOf(runbook).filter((heading) => heading.startsWith('Goalpost'));

  test('has an entry for each alert, in their order, to which the alert leads', () => {
    expect(entries).toEqual(alerts.map(({ name }) => name));
    expect(alerts.map((alert) => alert.runbook)).toEqual(entries.map((name) => `docs/runbook.md#${anchorOf(name)}`));
  });

  test('has SQL that PostgreSQL accepts', async () => {
    const database = await temporaryDatabase();
    const statements = [
      ...blocksOf(runbook, 'sql'),
      ...[...proseOf(runbook).matchAll(/`(SELECT [^`]+|ANALYZE)`/g)].map(([, statement = '']) => statement),
    ];
    expect(statements).toHaveLength(3);
    for (const statement of statements) await query(database.url, statement);
  });
});
