import type { Restorer } from '../faults/restorer.js';
import { query } from '../support/query.js';

export const tableHead = [
  '| What happens | Companies | Requests by status | Longest answer | Longest time to a success |',
  '|---|---|---|---|---|',
];

interface Window {
  from: number;
  until: number;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** A row of the table: what these clients saw in that time. */
export function summaryOf(what: string, group: string, clients: Restorer[], { from, until }: Window): string {
  const answers = clients.flatMap((client) => client.answers).filter(({ at }) => at >= from && at < until);
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const statuses = [...counts].toSorted().map(([status, count]) => `${count} × ${status || 'no answer'}`);
  const longest = Math.max(0, ...answers.map(({ milliseconds }) => milliseconds));
  const changes = clients
    .flatMap((client) => client.changes)
    .filter((change) => change.until >= from && change.from < until);
  const pause = Math.max(0, ...changes.map((change) => change.until - change.from));
  return `| ${[what, group, statuses.join(', '), seconds(longest), seconds(pause)].join(' | ')} |`;
}

/** What was acknowledged and is not there, and what is there twice or unasked. */
export async function lossesOf(url: string, clients: { company: string; restorer: Restorer }[]) {
  const rows = await query(url, 'SELECT company_id, document_id, version_number FROM document_versions');
  const found = new Map<string, Set<number>>();
  for (const { company_id, document_id, version_number } of rows) {
    const name = `${company_id} ${document_id}`;
    found.set(name, (found.get(name) ?? new Set()).add(Number(version_number)));
  }
  let [acknowledged, lost, unasked] = [0, 0, 0];
  for (const { company, restorer } of clients) {
    const kept = found.get(`${company} ${restorer.document.id}`) ?? new Set();
    acknowledged += restorer.versions.length;
    lost += restorer.versions.filter((version) => !kept.has(version)).length;
    unasked += kept.size - restorer.document.version;
  }
  const text = `Acknowledged changes ${acknowledged}, lost ${lost}, made twice ${unasked}.`;
  return { count: lost + Math.abs(unasked), text };
}
