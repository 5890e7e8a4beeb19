import { textOf } from './documents.js';

export const alertsFile = 'docs/monitoring/alerts.yml';
const dashboardFile = 'docs/monitoring/dashboard.json';

interface Target {
  refId: string;
  expr: string;
}

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Target[];
}

interface Dashboard {
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
}

const dashboard: Dashboard = JSON.parse(textOf(dashboardFile));

/** The alerts by their names, each with its expression and the section of the runbook that it names. */
export const alerts = textOf(alertsFile)
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => {
    const [name = ''] = text.split('\n');
    const [, inline, block] = /^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/m.exec(text) ?? [];
    const runbook = /^ {10}runbook: (\S+)$/m.exec(text)?.[1] ?? '';
    return { name, expression: (inline ?? block ?? '').trim(), runbook };
  });

/** What Grafana puts in the place of its variables. */
const variables = { $__rate_interval: '10s', $instance: '.*' };

/** Every expression of the panels, by the panel's title. */
export const panelExpressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ refId, expr }) => ({
    name: `${title} ${refId}`,
    expression: Object.entries(variables).reduce((text, [name, value]) => text.replaceAll(name, value), expr),
  })),
);

/** The metrics that an expression names, each with the labels that it selects by. */
export const metricsIn = (expression: string) =>
  [...expression.matchAll(/\b((?:goalpost|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selector = '']) => ({
      name,
      labels: [...selector.matchAll(/(\w+) *(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }),
  );

/** The labels by which an expression groups. */
export const groupsIn = (expression: string) =>
  [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
