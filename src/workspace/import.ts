import { Prisma } from '../generated/client/client.js';
import { type Database, rawSql as raw, sql, type Transaction } from '../platform/postgres/index.js';
import { documentSource, type Source } from './file.js';
import {
  KnownRecords,
  lockCompany,
  markEqual,
  noteKnown,
  problemsOfKnown,
  problemsOfKnownRemovals,
} from './knownRecords.js';
import {
  applyRows,
  compareRows,
  findDoomed,
  insertRows,
  isChanged,
  keepOutcomes,
  leaveOvertaken,
  lockRows,
  type Merge,
  matchRows,
  mergeHistories,
  nameRestored,
  sameRow,
} from './merge.js';
import { type Counted, type Finding, ImportError, type ImportOptions, type ImportReport } from './report.js';
import { type Head, quote, RecordReader, within } from './rows.js';
import { columns, danglingReferences, problemsOfRemovals, problemsOfRows, Staging, staged } from './staging.js';
import { columnsOf, isAppended, lists, rowKeyOf, type Table, tables } from './tables.js';

const limits = { timeout: 3_600_000 };

/** Thrown to leave the database as it is. */
class NothingWritten extends Error {
  constructor(readonly report: ImportReport<Table>) {
    super('nothing is written');
  }
}

/**
 * Imports a workspace, all of it or nothing: a new company, or with `update` the changes of one that exists. Throws an
 * ImportError that says what is wrong.
 */
export async function importFrom(
  db: Database,
  source: Source,
  options: ImportOptions = {},
): Promise<ImportReport<Table>> {
  let company: string | undefined;
  const work = async (tx: Transaction) => {
    const { staging, head } = await readSource(tx, source);
    company = head.company.id;
    const report = await write({ tx, staging, head, digest: source.digest(), options });
    if (options.dryRun || report.isRepeated) throw new NothingWritten(report);
    return report;
  };
  const report = await db.$transaction(work, limits).catch((error) => {
    if (error instanceof NothingWritten) return error.report;
    throw refusalOf(error, company);
  });
  // The rows are there. If this fails, PostgreSQL does it by itself, some minutes later.
  if (!options.dryRun) await analyze(db, report).catch(() => {});
  return report;
}

/** The same of a document in memory. Returns how many rows were added to each table. */
export async function importDocument(
  db: Database,
  document: unknown,
  onProgress: (written: number, total: number) => void = () => {},
): Promise<Record<Table, number>> {
  const report = await importFrom(db, documentSource(document), { onProgress });
  return Object.fromEntries(tables.map((table) => [table, report.tables[table].added])) as Record<Table, number>;
}

/** Reads all parts into temporary tables. Throws an ImportError with all problems. */
async function readSource(tx: Transaction, source: Source): Promise<{ staging: Staging; head: Head }> {
  const staging = new Staging(tx);
  await staging.open();
  const reader = new RecordReader({
    emit: staging.emit,
    onSeen: (id) => staging.seen(id),
    onForNew: ({ id, path, problem }) =>
      staging.note({ what: 'new', tbl: 'resource_hub_documents', value: id, path, problem }),
  });
  const records = new KnownRecords(tx, staging, reader);
  for await (const part of source.parts) {
    await records.push(part);
    await staging.flush();
  }
  await records.close();
  const head = reader.head();
  if (head) {
    const { company, removed } = head;
    staging.emit('companies', company, { path: 'company', given: [], isFrozen: false, made: company.id });
    await staging.close();
    if (removed) await staging.remove(removed);
  } else await staging.close();
  const isNew = !head || !(await exists(tx, head.company.id));
  const checked = { tx, staging, companyId: head?.company.id ?? '', isNew };
  const { problems } = reader;
  problems.push(...(await problemsOfRows(checked)), ...(await problemsOfKnown(checked)));
  if (!head || problems.length > 0) throw new ImportError(problems);
  return { staging, head };
}

interface Company {
  lastSequence: number;
  revision: number | null;
  digest: Uint8Array | null;
}

async function exists(tx: Transaction, companyId: string): Promise<Company | undefined> {
  const [row] = await tx.$queryRaw<{ last: bigint; revision: bigint | null; digest: Uint8Array | null }[]>`
    SELECT c.last_sequence AS last, i.revision, i.digest
    FROM companies c LEFT JOIN imports i ON i.company_id = c.id WHERE c.id = ${companyId}`;
  if (!row) return undefined;
  return {
    lastSequence: Number(row.last),
    revision: row.revision === null ? null : Number(row.revision),
    digest: row.digest,
  };
}

interface Written {
  tx: Transaction;
  staging: Staging;
  head: Head;
  digest: Buffer;
  options: ImportOptions;
}

async function write({ tx, staging, head, digest, options }: Written): Promise<ImportReport<Table>> {
  const companyId = head.company.id;
  // One import of a company at a time.
  await lockCompany(tx, companyId);
  const company = await exists(tx, companyId);
  // Whoever writes again from the beginning may know the events that are there now.
  const knowsEvents = company !== undefined && head.as_of !== null && head.as_of <= company.lastSequence;
  const overwrite = options.overwrite === true || (options.resync === true && !knowsEvents);
  const merge: Merge = { tx, staging, companyId, isNew: !company, asOf: head.as_of ?? 0, overwrite };
  await requireUnused(merge, options);
  if (company && !options.resync) {
    if (isRepeated(head, company, digest)) return { ...(await emptyReport(merge)), isRepeated: true };
    requireNewer(head, company);
  }
  const report = company ? await update(merge, head, options) : await insertAll(merge, options);
  if (options.strict && report.kept + report.conflicts > 0)
    throw new ImportError(report.findings.filter(({ what }) => what !== 'changed').map(findingText));
  if (!options.dryRun) await noteKnown(merge);
  await tx.$executeRaw`
    INSERT INTO imports (company_id, revision, digest, kept, conflicts)
    VALUES (${companyId}, ${head.revision}::bigint, ${digest}, ${report.kept}::integer, ${report.conflicts}::integer)
    ON CONFLICT (company_id) DO UPDATE SET revision = coalesce(excluded.revision, imports.revision), digest = excluded.digest,
      kept = excluded.kept, conflicts = excluded.conflicts, imported_at = excluded.imported_at`;
  return report;
}

/** Throws an ImportError that names what exists already. */
async function requireUnused(
  { tx, staging, companyId, isNew }: Merge,
  { update, resync }: ImportOptions,
): Promise<void> {
  const problems: string[] = [];
  if (!isNew && !update && !resync)
    problems.push(`company.id: ${quote(companyId)} exists already, add --update to change it`);
  if (staging.tables.has('public_links')) {
    const found = await tx.$queryRaw<{ path: string; token: string }[]>(sql`
      SELECT s.path, s.token FROM staged_public_links s JOIN public_links l ON l.token = s.token
      WHERE l.company_id <> ${companyId} OR ${problems.length > 0}::boolean ORDER BY s.n LIMIT 1000`);
    for (const { path, token } of found)
      problems.push(`${within(path, 'public_token')}: ${quote(token)} exists already`);
  }
  if (problems.length > 0) throw new ImportError(problems);
}

const isRepeated = ({ revision }: Head, company: Company, digest: Buffer) =>
  revision !== null && revision === company.revision && company.digest !== null && digest.equals(company.digest);

/** Requires a file that is newer than the last one, and knows no event that the company does not have. */
function requireNewer({ revision, as_of: asOf }: Head, { revision: last, lastSequence }: Company): void {
  if (last !== null && revision !== null && revision <= last) {
    const other = revision === last ? ', which was another file' : '';
    throw new ImportError([`revision: must be higher than ${last}, the last one that was imported${other}`]);
  }
  if (asOf !== null && asOf > lastSequence)
    throw new ImportError([
      `as_of: must be at most ${lastSequence}, the last event of the company: the database was set back to an earlier ` +
        'moment, or the file is of another gateway. Import a whole file with --resync to start again from it',
    ]);
}

async function insertAll(merge: Merge, { onProgress = () => {} }: ImportOptions): Promise<ImportReport<Table>> {
  const { tx, staging, companyId } = merge;
  const report = await emptyReport(merge);
  const total = [...staging.counts.values()].reduce((sum, count) => sum + count, 0);
  if (staging.tables.has('activities')) {
    await nameRestored(merge);
    await tx.$executeRaw(sql`
      UPDATE staged_companies SET last_sequence = (SELECT count(*) FROM staged_activities) WHERE id = ${companyId}`);
  } else await tx.$executeRaw(sql`UPDATE staged_companies SET last_sequence = 0`);
  let written = 0;
  for (const table of tables.filter((each) => staging.tables.has(each))) {
    report.tables[table].added = await insertRows(merge, table);
    written += report.tables[table].added;
    onProgress(written, total);
  }
  return report;
}

async function update(merge: Merge, head: Head, options: ImportOptions): Promise<ImportReport<Table>> {
  const { tx, staging } = merge;
  if (options.removeMissing || options.resync) await removeMissing(merge, head);
  const problems = await removalProblems(merge, options);
  if (problems.length > 0) throw new ImportError(problems);
  await matchRows(merge);
  const wrong = await mergeHistories(merge);
  if (wrong.length > 0) throw new ImportError(wrong);
  await keepOutcomes(merge);
  await markEqual(merge, (table) => sql`NOT ${isChanged(table)}`);
  await compareRows(merge);
  await findDoomed(merge);
  const report = await countRows(merge);
  await describeChanges(merge, options.shown ?? 50);
  if (!options.dryRun) {
    await lockRows(merge);
    // Somebody may have changed one of them before it was locked.
    await keepOutcomes(merge);
    await leaveOvertaken(merge);
    await applyRows(merge);
    const total = [...staging.counts.values()].reduce((sum, count) => sum + count, 0);
    options.onProgress?.(total, total);
  }
  const [counts] = await tx.$queryRaw<{ kept: number; conflicts: number }[]>`
    SELECT count(*) FILTER (WHERE what = 'kept')::integer AS kept,
      count(*) FILTER (WHERE what = 'conflict')::integer AS conflicts FROM import_findings`;
  const findings = await tx.$queryRaw<Finding<Table>[]>`
    SELECT what, tbl AS table, id, path, details FROM import_findings
    ORDER BY array_position(ARRAY['conflict', 'kept', 'changed'], what), n LIMIT ${options.shown ?? 50}::integer`;
  return { ...report, ...counts, findings };
}

/** Notes what a whole file does not name. Throws an ImportError if it is no whole file. */
async function removeMissing({ tx, staging, companyId }: Merge, { given }: Head): Promise<void> {
  for (const [list, { table, gone }] of Object.entries(lists)) {
    const isIn = staging.tables.has(table)
      ? sql`AND NOT EXISTS (SELECT FROM ${staged(table)} s WHERE s.id = t.id)`
      : Prisma.empty;
    const isKnown = sql`EXISTS (SELECT FROM import_records r WHERE r.known AND r.tbl = ${table} AND r.id = t.id)`;
    const count = await tx.$executeRaw(sql`
      INSERT INTO import_removed SELECT ${table}, t.id, false FROM ${raw(table)} t
      WHERE t.company_id = ${companyId} ${raw(gone ? `AND t.${gone} IS NULL` : '')} ${isIn} AND NOT ${isKnown}`);
    staging.hasRemoved ||= count > 0;
    if (count > 0 && !given.has(list))
      throw new ImportError([
        `${list}: must be in a file whose missing records are removed; the company has ${count}. Write an empty list if all are gone`,
      ]);
  }
}

/** Ids that the file says are gone, and that the company never had, are no problem: a delta may be repeated. */
async function removalProblems(merge: Merge, options: ImportOptions): Promise<string[]> {
  const { tx, staging, companyId } = merge;
  if (!staging.hasRemoved) return [];
  for (const { table } of Object.values(lists))
    await tx.$executeRaw(sql`
      DELETE FROM import_removed r WHERE r.tbl = ${table}
        AND NOT EXISTS (SELECT FROM ${raw(table)} t WHERE t.company_id = ${companyId} AND t.id = r.id)`);
  const dangling = options.removeMissing || options.resync ? await danglingReferences(merge) : [];
  return [...dangling, ...(await problemsOfKnownRemovals(merge)), ...(await problemsOfRemovals(merge))];
}

async function emptyReport({ companyId, isNew }: Merge): Promise<ImportReport<Table>> {
  const none = () => ({ added: 0, changed: 0, removed: 0, unchanged: 0 });
  const counted = Object.fromEntries(tables.map((table) => [table, none()])) as Record<Table, Counted>;
  return { companyId, isNew, isRepeated: false, tables: counted, kept: 0, conflicts: 0, findings: [] };
}

async function countRows(merge: Merge): Promise<ImportReport<Table>> {
  const { tx, staging, companyId } = merge;
  const report = await emptyReport(merge);
  const changed = await tx.$queryRaw<{ tbl: Table; count: number }[]>`
    SELECT tbl, count(*)::integer AS count FROM import_changed GROUP BY tbl`;
  const removed = await tx.$queryRaw<{ tbl: Table; count: number }[]>`
    SELECT tbl, count(*)::integer AS count FROM (SELECT tbl, id FROM import_doomed UNION SELECT tbl, id FROM import_removed) d GROUP BY tbl`;
  for (const { tbl, count } of changed) report.tables[tbl].changed = count;
  for (const { tbl, count } of removed) report.tables[tbl].removed = count;
  const parts = [...staging.tables]
    .filter((each) => each !== 'companies')
    .map(
      (table) => sql`
        SELECT ${table} AS tbl, count(*)::integer AS all, count(*) FILTER (WHERE EXISTS (
          SELECT FROM ${raw(table)} t WHERE t.company_id = ${companyId} AND ${sameRow(table, 's', 't')}))::integer AS known
        FROM ${staged(table)} s`,
    );
  const counted =
    parts.length === 0
      ? []
      : await tx.$queryRaw<{ tbl: Table; all: number; known: number }[]>(Prisma.join(parts, ' UNION ALL '));
  for (const { tbl, all, known } of counted) {
    const counts = report.tables[tbl];
    counts.added = all - known;
    counts.unchanged = known - counts.changed;
  }
  for (const [table, count] of staging.known) report.tables[table].unchanged += count;
  return report;
}

/** Notes the first changes with field, old and new value. */
async function describeChanges({ tx, staging, companyId }: Merge, most: number): Promise<void> {
  for (const table of tables.filter(
    (each) => staging.tables.has(each) && !isAppended(each) && rowKeyOf(each).length === 1,
  )) {
    if (table === 'companies' || table === 'public_links') continue;
    const ignored = ['inserted_at', 'updated_at', 'company_id', 'sequence', 'recorded_at'];
    const own = columns(columnsOf(table), 's');
    await tx.$executeRaw(sql`
      INSERT INTO import_findings
      SELECT 'changed', ${table}, s.id, s.path,
        jsonb_build_object('field', e.key, 'here', e.value, 'file', n.row -> e.key), s.n
      FROM (SELECT c.id FROM import_changed c WHERE c.tbl = ${table} LIMIT ${Math.min(most, 1_000_000)}::integer) c
      JOIN ${staged(table)} s ON s.id = c.id
      CROSS JOIN LATERAL (SELECT * FROM ${raw(table)} r WHERE r.company_id = ${companyId} AND r.id = c.id OFFSET 0) t
      CROSS JOIN LATERAL (SELECT to_jsonb(x) AS row FROM (SELECT ${own}) x OFFSET 0) n
      CROSS JOIN LATERAL jsonb_each(to_jsonb(t)) e
      WHERE e.key <> ALL (${ignored}::text[]) AND n.row ? e.key AND n.row -> e.key <> e.value`);
  }
}

/** One line for a person: what it is, where, both sides, and what decides. */
export function findingText({ what, table, id, path, details }: Finding): string {
  const { here, file, event, field } = details;
  const name = `${path || table} (${quote(id)})`;
  const by = event == null ? '' : ` by event ${String(event)}`;
  if (what === 'conflict') {
    const sides = `here version ${versionText(here)}${by}, in the file version ${versionText(file)}`;
    const asOf = event == null ? '' : ` (as_of ${String(event)} or more)`;
    const next = Number((here as { version?: number } | undefined)?.version ?? 0) + 1;
    return `${name}: both sides have new versions: ${sides}. Take the events in${asOf} and number yours from ${next} on; or import with --overwrite, which takes the word of the file for all that it has`;
  }
  if (what === 'kept' && field === undefined)
    return `${name}: keeps version ${versionText(here)}, which was added${by} since; the file has version ${versionText(file)}`;
  if (what === 'kept')
    return `${name}: keeps ${String(field)} ${quote(here)}, which was changed${by} since; the file has ${quote(file)}. To take the file's word, import with --overwrite`;
  return `${name}: ${String(field)} ${quote(here)} → ${quote(file)}`;
}

function versionText(side: unknown): string {
  const { version, editor, at } = (side ?? {}) as Record<string, unknown>;
  return `${String(version)}${editor == null ? '' : ` by ${quote(editor)}`}${at == null ? '' : ` at ${String(at)}`}`;
}

/** Only tables with many new rows: the planner must know that they have grown. */
async function analyze(db: Database, report: ImportReport<Table>): Promise<void> {
  for (const table of tables)
    if (report.isNew || report.tables[table].added + report.tables[table].changed > 10_000)
      await db.$executeRaw`SELECT analyze_table(${table}::regclass)`;
}

/** What the database has refused, in words of the file. */
function refusalOf(error: unknown, company: string | undefined): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === '23505' && company !== undefined && /companies_pkey|public_links_pkey/.test(message))
    return new ImportError([`company.id: ${quote(company)} exists already, add --update to change it`]);
  if (code === '55P03')
    return new ImportError(['another import of this company is running, or a row is locked: try again']);
  // A Citus whose tables are distributed joins none of them with a temporary one.
  if (code === '0A000' && /distributed and local tables/.test(message))
    return new ImportError([
      'an update needs a database whose tables are not distributed; this one is a Citus cluster',
    ]);
  if (/^23/.test(code ?? '')) return new ImportError([`the database refuses it: ${message}`]);
  return error;
}
