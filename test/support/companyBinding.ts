import pg from 'pg';
import type { OwnDatabase } from '../../src/database.js';
import type { RequestObserver, RequestScope } from '../../src/platform/postgres/deadline.js';

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  Alias?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  Filter?: string;
  Plans?: Node[];
}

/** The statements of the requests of this test file. */
export const noted = new Set<string>();

const watched = new WeakSet<RequestScope>();

/** Notes from now on every statement that a request sends to this database. */
export function noteStatements(db: OwnDatabase): void {
  const within = db.within.bind(db);
  db.within = (scope, tenant) => {
    const observer = scope?.observer;
    if (scope && observer && !watched.has(scope)) {
      watched.add(scope);
      const beginStatement = (sql: string) => {
        noted.add(sql);
        return observer.beginStatement(sql);
      };
      const noting: RequestObserver = {
        beginStatement,
        countRepetition: () => observer.countRepetition(),
      };
      Object.assign(scope, { observer: noting });
    }
    return within(scope, tenant);
  };
}

/** Statements that were found to bind the company. A plan for any values depends on the tables, which all worlds share. */
const bound = new Set<string>();

/** The name under which requests to the store of rate limits are counted, which is no statement. */
const names = ['SELECT rate_limits'];

/** What serves all companies: the few tables that find the company, or count requests of anyone. */
const shared = ['companies', 'token_companies', 'public_links', 'rate_limits', 'confirmation_secrets'];

/**
 * Plans each statement, for any values, and names each scan of a company's table whose condition does not bind
 * `company_id` to a value.
 */
export async function unboundScans(url: string, statements: Iterable<string>): Promise<string[]> {
  const isOpen = (text: string) =>
    !bound.has(text) && !names.includes(text) && /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/i.test(text);
  const open = [...statements].filter(isOpen);
  if (open.length === 0) return [];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("SELECT current_setting('server_version_num')::int AS version");
    if (rows[0].version < 160_000) return []; // older ones cannot plan for any values
    const problems: string[] = [];
    for (const text of open) {
      const plan = await client.query(`EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) ${text}`);
      const unbound = scansOf(plan.rows[0]['QUERY PLAN'][0].Plan).filter((scan) => !isBound(scan));
      if (unbound.length === 0) bound.add(text);
      for (const scan of unbound) problems.push(`${scan['Relation Name']} ${scan.Alias} ${condition(scan)} in ${text}`);
    }
    return problems;
  } finally {
    await client.end();
  }
}

function scansOf(root: Node): Node[] {
  const scans: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    const table = node['Relation Name'];
    if (node['Node Type'].includes('Scan') && table !== undefined && !shared.includes(table)) scans.push(node);
    open.push(...(node.Plans ?? []));
  }
  return scans;
}

/** The conditions of a scan, with those of the bitmaps under it. */
const condition = (node: Node): string =>
  [node['Index Cond'], node['Recheck Cond'], node.Filter, ...(node.Plans ?? []).map(condition)].join(' ');

function isBound(scan: Node): boolean {
  const value = String.raw`\$\d+`;
  const column = String.raw`\b(${scan.Alias}\.)?company_id`;
  return new RegExp(`${column} = ${value}|${value} = ${column}`).test(condition(scan));
}
