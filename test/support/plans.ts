import pg from 'pg';
import { newId } from '../../src/platform/postgres/values.js';
import type { Statement } from './statements.js';

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Node[];
}

export interface Plan {
  /** Tables that are read completely. */
  sequential: string[];
  indexes: string[];
  /** Rows that tables and indexes returned, including those that a filter removed. */
  rows: number;
  /** Rows that all steps of the plan returned or removed: many times the rows read if each was compared with each. */
  handled: number;
  /** Pages of 8 kB that were read. */
  pages: number;
}

/**
 * The same statements for other records, which they change too: those that were made after the id `since` get another id.
 */
export const forAnother = (others: Map<string, string>, since: string, statements: Statement[]): Statement[] => {
  const isNew = (value: unknown) => isUuidV7.test(String(value)) && String(value) > since;
  const other = (value: unknown) => others.get(String(value)) ?? (isNew(value) ? newId() : value);
  return statements.map(({ text, values }) => ({ text, values: values.map(other) }));
};

const isUuidV7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/;

/**
 * Plans and runs statements again: once for their values, and once as prepared statements in frequent use. What they
 * write is undone.
 */
export async function plansOf(url: string, statements: Statement[]): Promise<Plan[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN'); // one server connection throughout, also behind a pooler
    const plans: Plan[] = [];
    for (const [index, { text, values }] of statements.entries()) {
      await client.query(`PREPARE s${index} AS ${text}`);
      const given = values.length > 0 ? `(${values.map((value) => literal(client, value)).join(', ')})` : '';
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await client.query(`SAVEPOINT before; SET LOCAL plan_cache_mode = ${mode}`);
        const { rows } = await client.query(
          `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE s${index}${given}`,
        );
        plans.push(summary(rows[0]['QUERY PLAN'][0].Plan));
        await client.query('ROLLBACK TO before');
      }
      await client.query(`DEALLOCATE s${index}`);
    }
    return plans;
  } finally {
    await client.end();
  }
}

function summary(root: Node): Plan {
  const handedOut = (node: Node) =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
    node['Actual Loops'];
  const scans: Node[] = [];
  let handled = 0;
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node['Node Type'].includes('Scan') && node['Actual Loops'] > 0) scans.push(node);
    handled += handedOut(node) + (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'];
    open.push(...(node.Plans ?? []));
  }
  const tables = scans.filter((node) => node['Relation Name'] || node['Index Name']);
  return {
    sequential: tables.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? ''),
    indexes: [...new Set(tables.flatMap((node) => node['Index Name'] ?? []))].sort(),
    rows: tables.reduce((sum, node) => sum + handedOut(node), 0),
    handled,
    pages: (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0),
  };
}

function literal(client: pg.Client, value: unknown): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  if (Array.isArray(value)) return `'{${value.map((item) => `"${String(item)}"`).join(',')}}'`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : client.escapeLiteral(String(value));
}
