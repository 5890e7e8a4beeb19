import { fixed, median, table } from './format.js';
import { atLeastOf, wantedOf } from './goals.js';
import type { Results } from './report.js';

/**
 * What each goal against the floor leaves to the gateway, in milliseconds of processor time for each request. The
 * processors of the machine are the limit, so what the goal allows for gateway and PostgreSQL together is what floor and
 * PostgreSQL need, divided by the goal.
 */
export function budgetTable({ closed, conditions }: Results): string {
  const needs = (contender: string, workload: string, of: 'contender' | 'database') =>
    median(
      closed
        .filter((one) => 'connections' in one.pace && one.pace.connections === 16)
        .filter((one) => one.contender === contender && one.workload === workload)
        .map(({ cpu }) => cpu[of]),
    );
  const rows = wantedOf('floor').map((goal) => {
    const [workload] = goal;
    const wanted = atLeastOf(goal, conditions);
    const floor = needs('floor', workload, 'contender') + needs('floor', workload, 'database');
    const database = needs('gateway', workload, 'database');
    const left = floor / wanted - database;
    const cells = [floor, database, left, needs('gateway', workload, 'contender')];
    return [workload, `≥ ${wanted}`, ...cells.map(fixed)];
  });
  return table(
    [
      'workload',
      'target ÷ floor',
      'floor and PostgreSQL',
      "the gateway's PostgreSQL",
      'budget of the gateway',
      'used by it',
    ],
    rows,
  );
}
