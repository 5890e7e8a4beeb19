import { query } from '../../test/support/query.js';
import type { Answer, Restorer } from '../faults/restorer.js';
import type { CompanyReader } from './companyReader.js';

export interface CompanyClient {
  company: string;
  restorer: Restorer;
  reader: CompanyReader;
}

export const tableHead = [
  '| What happens | Companies | Reads by status | Longest | Changes by status | Longest | Longest until acknowledged |',
  '|---|---|---|---|---|---|---|',
];

interface Window {
  from: number;
  until: number;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** A row of the table: what these clients saw in that time. */
export function summaryOf(what: string, group: string, clients: CompanyClient[], window: Window): string {
  const { from, until } = window;
  const changes = clients
    .flatMap(({ restorer }) => restorer.changes)
    .filter((change) => change.until >= from && change.from < until);
  const pause = Math.max(0, ...changes.map((change) => change.until - change.from));
  const cells = [
    ...seen(
      clients.flatMap(({ reader }) => reader.answers),
      window,
    ),
    ...seen(
      clients.flatMap(({ restorer }) => restorer.answers),
      window,
    ),
    changes.length > 0 ? seconds(pause) : 'none was',
  ];
  return `| ${[what, group, ...cells].join(' | ')} |`;
}

function seen(all: Answer[], { from, until }: Window): string[] {
  const answers = all.filter(({ at }) => at >= from && at < until);
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const statuses = [...counts].toSorted().map(([status, count]) => `${count} × ${status || 'no answer'}`);
  return [statuses.join(', '), seconds(Math.max(0, ...answers.map(({ milliseconds }) => milliseconds)))];
}

/** What was acknowledged and is not there, and what is there twice or unasked. */
export async function lossesOf(url: string, clients: CompanyClient[]) {
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
