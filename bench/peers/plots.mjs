// Draws the plots of bench/figures.md from the results of a run: plots.mjs <results.json> <directory>
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse, View } from 'vega';
import { compile } from 'vega-lite';

const [results, directory] = process.argv.slice(2);
const { closed, fixed, grown } = JSON.parse(readFileSync(results, 'utf8'));
mkdirSync(directory, { recursive: true });

const themes = {
  light: { text: '#1f2328', grid: '#d1d9e0', range: ['#0969da', '#59636e', '#bc4c00', '#8250df', '#1a7f37'] },
  dark: { text: '#f0f6fc', grid: '#3d444d', range: ['#4493f8', '#9198a1', '#db6d28', '#ab7df8', '#3fb950'] },
};

const median = (values) => {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

/** One row for each group of measurements that agree in these fields, with the median of the others. */
function medians(measured, fields) {
  const groups = {};
  for (const one of measured) {
    const key = JSON.stringify(fields.map((field) => one[field]));
    groups[key] = [...(groups[key] ?? []), one];
  }
  return Object.values(groups).map((group) => ({
    ...group[0],
    throughput: median(group.map((one) => one.throughput)),
    p50: median(group.map((one) => one.p50)),
    p99: median(group.map((one) => one.p99)),
  }));
}

const flat = closed.map((one) => ({ ...one, connections: one.pace.connections }));
const contenders = [...new Set([...closed, ...grown].map((one) => one.contender))];
const workloads = [...new Set(closed.map((one) => one.workload))];
const color = (range) => ({
  field: 'contender',
  type: 'nominal',
  title: null,
  scale: { domain: contenders, range: range.slice(0, contenders.length) },
});
const facet = { field: 'workload', type: 'nominal', title: null, sort: workloads };

/** Every axis has its own scale, which begins at 0 unless it is logarithmic. */
const plots = {
  throughput: {
    data: medians(flat, ['workload', 'contender', 'connections']),
    title: 'Requests a second (more is better)',
    spec: (range) => ({
      facet,
      columns: 4,
      spec: {
        width: 170,
        height: 130,
        mark: { type: 'line', point: true },
        encoding: {
          x: {
            field: 'connections',
            type: 'quantitative',
            scale: { type: 'log', base: 4 },
            axis: { values: [1, 4, 16, 64] },
          },
          y: { field: 'throughput', type: 'quantitative', title: null },
          color: color(range),
        },
      },
      resolve: { scale: { y: 'independent' } },
    }),
  },
  latency: {
    data: medians(fixed, ['workload', 'contender']),
    title: 'Latency at a fixed rate: p50 (dot) and p99 (tick), ms (less is better)',
    spec: (range) => ({
      facet,
      columns: 4,
      spec: {
        width: 170,
        height: 90,
        layer: [
          {
            mark: { type: 'point', filled: true },
            encoding: { x: { field: 'p50', type: 'quantitative', title: null } },
          },
          {
            mark: { type: 'tick', thickness: 2 },
            encoding: { x: { field: 'p99', type: 'quantitative', title: null } },
          },
        ],
        encoding: {
          y: { field: 'contender', type: 'nominal', title: null, axis: { labels: false }, sort: contenders },
          color: color(range),
        },
      },
      resolve: { scale: { x: 'independent' } },
    }),
  },
  growth: {
    data: medians(grown, ['axis', 'size', 'workload', 'contender']),
    title: 'Requests a second as the data grows (flat is better)',
    spec: (range) => ({
      facet: {
        row: { field: 'axis', type: 'nominal', title: null },
        column: { field: 'contender', type: 'nominal', title: null },
      },
      spec: {
        width: 300,
        height: 160,
        mark: { type: 'line', point: true },
        encoding: {
          x: { field: 'size', type: 'quantitative', scale: { type: 'log' }, title: null },
          y: { field: 'throughput', type: 'quantitative', title: null },
          color: {
            field: 'workload',
            type: 'nominal',
            title: null,
            scale: { range: [...range, '#cf222e', '#bf8700'] },
          },
        },
      },
      resolve: { scale: { x: 'independent', y: 'independent' } },
    }),
  },
};

for (const [name, { data, title, spec }] of Object.entries(plots)) {
  if (data.length === 0) continue;
  for (const [theme, { text, grid, range }] of Object.entries(themes)) {
    const shared = { labelColor: text, titleColor: text, domainColor: grid, tickColor: grid };
    const compiled = compile({
      title: { text: title, color: text, anchor: 'start' },
      data: { values: data },
      background: 'transparent',
      config: {
        axis: { ...shared, gridColor: grid },
        legend: shared,
        header: shared,
        view: { stroke: grid },
        font: 'sans-serif',
      },
      ...spec(range),
    });
    const svg = await new View(parse(compiled.spec), { renderer: 'none' }).toSVG();
    writeFileSync(`${directory}/${name}-${theme}.svg`, svg);
  }
}
