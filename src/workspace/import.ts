import { Prisma } from '../database/generated/client/client.js';
import type { Database, Transaction } from '../database/query/client.js';
import { check } from './check.js';
import { ImportError } from './error.js';
import { pathName, quote } from './problems.js';
import type { Identities } from './references.js';
import { type Row, rowsOf } from './rows.js';
import { columnsOf, type Table, tables } from './tables.js';

export type Counts = Record<Table, number>;

const limits = { timeout: 3_600_000 };
const charactersAtOnce = 1_000_000;

/**
 * Writes the workspace in the document, all of it or nothing, and returns the number of rows by table. Calls
 * `onProgress` after each batch. Throws an ImportError if the document is invalid, or if its company or one of its public
 * links exists already.
 */
export async function importWorkspace(
  db: Database,
  document: unknown,
  onProgress: (written: number, total: number) => void = () => {},
): Promise<Counts> {
  const { workspace, identities } = check(document);
  const rows = rowsOf(workspace);
  const counts = Object.fromEntries(tables.map((table) => [table, rows[table].length])) as Counts;
  const total = Object.values(counts).reduce((sum, count) => sum + count);

  const write = async (tx: Transaction) => {
    await requireUnused(tx, identities);
    let written = 0;
    for (const table of tables)
      for (const batch of batches(table, rows[table])) {
        written += await insert(tx, table, workspace.company.id, batch);
        onProgress(written, total);
      }
  };
  await db.$transaction(write, limits).catch(async (error) => {
    if (isUniqueViolation(error)) await requireUnused(db, identities); // another writer was faster
    throw error;
  });
  // The rows are there. If this fails, PostgreSQL does it by itself, some minutes later.
  await analyze(db).catch(() => {});
  return counts;
}

async function analyze(db: Database): Promise<void> {
  for (const table of tables) await db.$executeRaw`SELECT analyze_table(${table}::regclass)`;
}

/** Throws an ImportError that names what is unique among all companies and exists already. */
async function requireUnused(db: Transaction, identities: Identities): Promise<void> {
  const problems: string[] = [];
  // The company last: whoever was faster has written it with its links, so whoever finds a link finds the company too.
  for (const name of ['public_links.token', 'companies.id']) {
    const paths = identities.get(name) ?? new Map();
    const [table, column] = name.split('.').map((part) => Prisma.raw(part));
    const values = [...paths.keys()];
    const select = Prisma.sql`SELECT ${column} AS value FROM ${table} WHERE ${column} = ANY (${values})`;
    const found = new Set((await db.$queryRaw<{ value: string }[]>(select)).map(({ value }) => value));
    for (const value of values)
      if (found.has(value)) problems.unshift(`${pathName(paths.get(value) ?? [])}: ${quote(value)} exists already`);
  }
  if (problems.length > 0) throw new ImportError(problems);
}

const isUniqueViolation = (error: { code?: unknown }) => error.code === '23505';

/** JSON arrays of rows, each small enough for one statement. */
function* batches(table: Table, rows: Row[]): Generator<string> {
  const written = columnsOf(table);
  let batch: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const json = JSON.stringify(row.updated_at === null ? { ...row, updated_at: row.inserted_at } : row, written);
    if (batch.length > 0 && characters + json.length > charactersAtOnce) {
      yield `[${batch}]`;
      batch = [];
      characters = 0;
    }
    batch.push(json);
    characters += json.length;
  }
  if (batch.length > 0) yield `[${batch}]`;
}

/** Inserts a JSON array of rows of one company; returns their number. */
function insert(db: Transaction, table: Table, companyId: string, rows: string): Promise<number> {
  const into = Prisma.raw(table);
  const names = Prisma.raw(`"${columnsOf(table).join('", "')}"`);
  const read = Prisma.sql`json_populate_recordset(NULL::${into}, ${rows}::json)`;
  return table === 'companies'
    ? db.$executeRaw`INSERT INTO ${into} (${names}) SELECT ${names} FROM ${read}`
    : db.$executeRaw`INSERT INTO ${into} (company_id, ${names}) SELECT ${companyId}, ${names} FROM ${read}`;
}
