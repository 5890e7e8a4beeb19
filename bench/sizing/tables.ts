import type { WorkloadName } from '../comparison/workloads.js';
import { connections, machine, rowsPerPerson, use, utilization } from './assumptions.js';
import type { Cost, Costs } from './costs.js';

const requests = Object.entries(use.requests) as [WorkloadName, number][];
const perDay = requests.reduce((sum, [, count]) => sum + count, 0);

const rounded = (value: number, digits = 2) => Number(value.toPrecision(digits)).toLocaleString('en-US');
const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: (string | number)[][]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const bytes = (count: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${rounded(count / 1000 ** power)} ${units[power]}`;
};

/** What one person costs: each kind of request as often as they make it. */
function perPerson({ perRequest, rowBytes }: Costs) {
  const sum = (of: (cost: Cost) => number) =>
    requests.reduce((total, [kind, count]) => total + count * of(perRequest.get(kind) as Cost), 0);
  const tables = Object.entries(rowsPerPerson);
  return {
    gatewaySeconds: sum((cost) => cost.gatewayMilliseconds) / 1000,
    databaseSeconds: sum((cost) => cost.databaseMilliseconds) / 1000,
    walBytes: sum((cost) => cost.walBytes),
    newRows: sum((cost) => cost.rows),
    newBytes: sum((cost) => cost.diskBytes),
    rows: tables.reduce((total, [, count]) => total + count, 0),
    bytes: tables.reduce((total, [name, count]) => total + count * (rowBytes.get(name) ?? 200), 0),
  };
}

/** Seconds of work in the busiest second, of what takes so much on a working day. */
const atPeak = (perDay: number) => (perDay * use.busiestHour * use.busiestSecond) / 3600;

export function costTable({ perRequest }: Costs): string {
  const rows = [...perRequest].map(([kind, cost]) => [
    kind,
    rounded(cost.gatewayMilliseconds),
    rounded(cost.databaseMilliseconds),
    bytes(cost.walBytes),
    rounded(Math.max(0, cost.rows)),
    bytes(Math.max(0, cost.diskBytes)),
  ]);
  return table(['request', 'gateway CPU ms', 'PostgreSQL CPU ms', 'WAL', 'new rows', 'disk'], rows);
}

/** What so many people need. */
function needsOf(people: number, costs: Costs) {
  const one = perPerson(costs);
  const gatewayCores = (people * atPeak(one.gatewaySeconds)) / utilization;
  const databaseCores = (people * atPeak(one.databaseSeconds)) / utilization;
  // A second one, so that one may fail or be replaced.
  const processes = Math.max(2, Math.ceil(gatewayCores));
  const disk = people * (one.bytes + one.newBytes * use.workingDays);
  const databases = Math.max(
    Math.ceil(databaseCores / machine.database),
    Math.ceil(disk / (machine.diskTerabytes * 1e12)),
  );
  return { one, gatewayCores, databaseCores, processes, disk, databases };
}

export function sizingTable(costs: Costs, sizes = [1_000, 100_000, 10_000_000]): string {
  const needs = sizes.map((people) => ({ people, ...needsOf(people, costs) }));
  const line = (name: string, of: (need: (typeof needs)[number]) => string | number) => [name, ...needs.map(of)];
  return table(
    ['', ...sizes.map((people) => `${people.toLocaleString('en-US')} people`)],
    [
      line('requests a day', ({ people }) => rounded(people * perDay)),
      line('requests in the busiest second', ({ people }) => rounded(people * atPeak(perDay))),
      line('rows', ({ people, one }) => rounded(people * one.rows)),
      line('new rows a year', ({ people, one }) => rounded(people * one.newRows * use.workingDays)),
      line('disk after a year', ({ disk }) => bytes(disk)),
      line('WAL a day', ({ people, one }) => bytes(people * one.walBytes)),
      line('gateway processors', ({ gatewayCores }) => rounded(gatewayCores)),
      line('gateway processes', ({ processes }) => processes),
      line('machines for gateways', ({ processes }) => Math.max(2, Math.ceil(processes / machine.gateway))),
      line('memory of the gateways', ({ processes }) => bytes(processes * costs.gatewayMegabytes * 1e6)),
      line('connections of the gateways', ({ processes }) => rounded(processes * connections.perGateway)),
      line('PostgreSQL processors', ({ databaseCores }) => rounded(databaseCores)),
      line('PostgreSQL primaries', ({ databases }) => databases),
      line(
        'machines for PostgreSQL, each primary with a standby',
        ({ databases }) => 2 * databases + (databases > 1 ? 2 : 0),
      ),
    ],
  );
}

/** For how many people each step of growth becomes due. */
export function stepsTable(costs: Costs): string {
  const { one } = needsOf(1, costs);
  const peopleFor = (cores: number, secondsPerDay: number) => (cores * utilization) / atPeak(secondsPerDay);
  const reads = new Set<string>(['full goal', 'page of 50']);
  const readSeconds = requests
    .filter(([kind]) => reads.has(kind))
    .reduce((sum, [kind, count]) => sum + (count * (costs.perRequest.get(kind)?.databaseMilliseconds ?? 0)) / 1000, 0);
  const disk = (machine.diskTerabytes * 1e12) / (one.bytes + one.newBytes * use.workingDays);
  const steps: [string, string, number][] = [
    ['more gateways', 'one gateway process is full', peopleFor(1, one.gatewaySeconds)],
    [
      'more machines for gateways',
      `${machine.gateway} processes are full`,
      peopleFor(machine.gateway, one.gatewaySeconds),
    ],
    [
      'PgBouncer',
      `the gateways hold ${connections.most} connections`,
      peopleFor(connections.most / connections.perGateway, one.gatewaySeconds),
    ],
    [
      'Citus',
      `its changes alone fill a primary, or ${machine.diskTerabytes} TB are full`,
      Math.min(disk, peopleFor(machine.database, one.databaseSeconds - readSeconds)),
    ],
  ];
  return table(
    ['step', 'due when', 'people'],
    steps.map(([step, when, people]) => [step, when, rounded(people)]),
  );
}
