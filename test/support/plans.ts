import pg from 'pg';
import type { Statement } from './statements.js';

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
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
  /** Pages of 8 kB that were read. */
  pages: number;
}

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
  const scans: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node['Node Type'].includes('Scan') && node['Actual Loops'] > 0) scans.push(node);
    open.push(...(node.Plans ?? []));
  }
  const handedOut = (node: Node) =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
    node['Actual Loops'];
  const tables = scans.filter((node) => node['Relation Name'] || node['Index Name']);
  return {
    sequential: tables.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? ''),
    indexes: [...new Set(tables.flatMap((node) => node['Index Name'] ?? []))].sort(),
    rows: tables.reduce((sum, node) => sum + handedOut(node), 0),
    pages: (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0),
  };
}

function literal(client: pg.Client, value: unknown): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  if (Array.isArray(value)) return `'{${value.map((item) => `"${String(item)}"`).join(',')}}'`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : client.escapeLiteral(String(value));
}
