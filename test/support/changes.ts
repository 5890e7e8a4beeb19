import type { Json, World } from './world.js';

type Rows = Record<string, Json[]>;

/** Every row of the database that differs after some work, by table. */
export interface Changes {
  added: Rows;
  /** `{ id, column: [before, after] }` for the columns that differ. */
  changed: Rows;
  removed: Rows;
}

export const nothing: Changes = { added: {}, changed: {}, removed: {} };

/** Runs the work and returns what it changed in the database, except a token's last use, which is written later. */
export async function changesOf<Result>(world: World, work: () => Promise<Result>): Promise<[Changes, Result]> {
  const before = await dump(world);
  const result = await work();
  const after = await dump(world);
  const changes: Changes = { added: {}, changed: {}, removed: {} };
  const note = (rows: Rows, table: string, row: Json) => {
    rows[table] ??= [];
    rows[table].push(row);
  };
  for (const [key, { table, row }] of after) {
    const old = before.get(key)?.row;
    if (old === undefined) note(changes.added, table, JSON.parse(row));
    else if (old !== row) note(changes.changed, table, difference(JSON.parse(old), JSON.parse(row)));
  }
  for (const [key, { table, row }] of before) if (!after.has(key)) note(changes.removed, table, JSON.parse(row));
  return [changes, result];
}

/** How many rows were added to which table. */
export const counts = (rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([table, { length }]) => [table, length]));

const statements = new WeakMap<World, string>();

/** The rows stay JSON: most of them are the same before and after, and need no parsing. */
async function dump(world: World): Promise<Map<string, { table: string; row: string }>> {
  const statement = statements.get(world) ?? (await statementOf(world));
  statements.set(world, statement);
  const rows = await world.sql(statement, world.companies.length > 0 ? [world.companies] : []);
  return new Map(rows.map(({ table, id, row }) => [`${table} ${id ?? row}`, { table, row }]));
}

/** One statement for every row of every table: of a database that files share, what belongs to a company of this one. */
async function statementOf(world: World): Promise<string> {
  const tables = await world.sql(
    `SELECT tablename AS name, (SELECT column_name FROM information_schema.columns c WHERE c.table_schema = 'public'
       AND c.table_name = tablename AND column_name = CASE tablename WHEN 'companies' THEN 'id' ELSE 'company_id' END) AS company
     FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', 'api_tokens')`,
  );
  const isOurs = (company: string | null) =>
    company && world.companies.length > 0 ? ` WHERE t.${company} = ANY ($1)` : '';
  // What PostgreSQL generates follows from the rest. OFFSET 0: each row is made once.
  return tables
    .map(
      ({ name, company }) =>
        `SELECT '${name}' AS table, r->>'id' AS id, r::text AS row
         FROM (SELECT to_jsonb(t) - 'search_key' AS r FROM ${name} t${isOurs(company)} OFFSET 0) t`,
    )
    .join(' UNION ALL ');
}

function difference(before: Json, after: Json): Json {
  const columns = Object.keys(after).filter(
    (column) => JSON.stringify(before[column]) !== JSON.stringify(after[column]),
  );
  return { id: after.id, ...Object.fromEntries(columns.map((column) => [column, [before[column], after[column]]])) };
}
