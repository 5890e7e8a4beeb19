import { eventKind, isKnownEvent } from '../events/event.js';
import { readCursor } from '../lists/engine.js';
import { type Database, joinSql, rawSql, sql, type Transaction } from '../platform/postgres/index.js';
import { danglingReferences, problemsOfRemovals, problemsOfRows, unidentified } from './checks.js';
import type { Source } from './file.js';
import { compareHistories, overtakenDocuments } from './histories.js';
import { matchRows, recordVersions } from './matching.js';
import {
  type Counted,
  type Finding,
  ImportError,
  type ImportOptions,
  type ImportReport,
  quote,
  type UnknownChange,
  UnknownChangesError,
} from './report.js';
import { type Head, labelled, labelOf, RecordReader, recordPathOf, within } from './rows.js';
import { type Checked, columns, isStaged, lookUp, Staging, staged, type Update } from './staging.js';
import { analyzeGrown, analyzeUncounted } from './statistics.js';
import { columnsOf, isAppended, lists, rowKeyOf, type Table, tables } from './tables.js';
import { applyRows, compareRows, findDoomed, insertRows, lockRows, unknownChanges } from './update.js';

const limits = { timeout: 3_600_000 };

/** Thrown to leave the database as it is. */
class NothingWritten extends Error {
  constructor(readonly report: ImportReport) {
    super('nothing is written');
  }
}

/**
 * Imports a workspace, all of it or nothing: a new company, or with `update` the changes of one that exists. Throws an
 * ImportError that says what is wrong; an UnknownChangesError if the file does not know what operations have changed.
 */
export async function importFrom(db: Database, source: Source, options: ImportOptions = {}): Promise<ImportReport> {
  if (options.update) await analyzeUncounted(db);
  let company: string | undefined;
  const work = async (tx: Transaction) => {
    const staging = new Staging(tx);
    await staging.open();
    const reader = new RecordReader(staging.emit);
    try {
      const head = await readSource(tx, source, staging, reader);
      company = head.company.id;
      if (options.companyId !== undefined && company !== options.companyId)
        throw new ImportError([`company.id: the file is of ${quote(company)}, not of ${quote(options.companyId)}`]);
      const report = await write({ tx, staging, head, digest: source.digest(), options });
      if (options.dryRun || report.isRepeated) throw new NothingWritten(report);
      return report;
    } catch (error) {
      if (!(error instanceof ImportError) || error instanceof UnknownChangesError) throw error;
      throw new ImportError(await withLabels(tx, staging, reader, error.problems));
    }
  };
  const report = await db.$transaction(work, limits).catch(async (error) => {
    if (error instanceof NothingWritten) return error.report;
    const refusal = refusalOf(error, company);
    if (refusal instanceof ImportError && company !== undefined && options.update && !options.dryRun)
      await noteRefusal(db, company, refusal).catch(() => {});
    throw refusal;
  });
  if (!options.dryRun) await analyzeGrown(db, report);
  return report;
}

/** Reads all parts into temporary tables. Throws an ImportError with all problems, if there are any. */
async function readSource(tx: Transaction, source: Source, staging: Staging, reader: RecordReader): Promise<Head> {
  for await (const part of source.parts) {
    reader.read(part);
    await staging.flush();
  }
  const head = reader.head();
  if (!head || reader.problems.length > 0) throw new ImportError(reader.problems);
  const { company, removed } = head;
  staging.emit('companies', company, { path: 'company', given: [], isFrozen: false, made: company.id });
  await staging.close();
  if (removed) await staging.remove(removed);
  const isNew = !(await companyOf(tx, company.id));
  const problems = await problemsOfRows({ tx, staging, companyId: company.id, isNew });
  if (problems.length > 0) throw new ImportError(problems);
  return head;
}

/** The problems, each with the kind and the id of its record. */
async function withLabels(
  tx: Transaction,
  staging: Staging,
  { labels }: RecordReader,
  problems: string[],
): Promise<string[]> {
  const paths = [...new Set(problems.flatMap((problem) => recordPathOf(problem) ?? []))];
  const found = new Map(labels);
  for (const { table, kind } of Object.values(lists).filter((list) => staging.tables.has(list.table))) {
    const rows = await tx.$queryRaw<{ id: string; path: string }[]>(
      sql`SELECT id, path FROM ${staged(table)} WHERE path = ANY (${paths}::text[])`,
    );
    for (const { id, path } of rows) found.set(path, labelOf(kind, id));
  }
  return problems.map((problem) => labelled(problem, found.get(recordPathOf(problem) ?? '')));
}

/** Notes that the last file of a company was refused, for those who watch its imports. */
const noteRefusal = (db: Database, companyId: string, { problems }: ImportError) =>
  db.$executeRaw`
    UPDATE imports SET refused_at = now(), refused_reason = left(${problems[0] ?? ''}, 500) WHERE company_id = ${companyId}`;

interface Company {
  revision: number | null;
  digest: Uint8Array | null;
}

async function companyOf(tx: Transaction, companyId: string): Promise<Company | undefined> {
  const [row] = await tx.$queryRaw<Company[]>`
    SELECT i.revision::float8 AS revision, i.digest
    FROM companies c LEFT JOIN imports i ON i.company_id = c.id WHERE c.id = ${companyId}`;
  return row;
}

interface Written {
  tx: Transaction;
  staging: Staging;
  head: Head;
  digest: Buffer;
  options: ImportOptions;
}

async function write({ tx, staging, head, digest, options }: Written): Promise<ImportReport> {
  const companyId = head.company.id;
  // One import of a company at a time.
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtext('goalpost import'), hashtext(${companyId}))::text AS held`;
  const company = await companyOf(tx, companyId);
  await requireUnused({ tx, staging, companyId, isNew: !company }, options);
  if (company) {
    if (isRepeated(head, company, digest)) return { ...emptyReport(companyId, false), isRepeated: true };
    requireNewer(head, company);
  }
  const asOf = company ? await asOfOf(tx, head, options) : 0;
  const told: Update = { tx, staging, companyId, isNew: !company, asOf, overwrite: options.overwrite === true };
  const openedSpaces = await staging.setLevels(companyId, { isNew: !company });
  const report = { ...(company ? await update(told, head, options) : await insertAll(told, options)), openedSpaces };
  await tx.$executeRaw`
    INSERT INTO imports (company_id, revision, digest) VALUES (${companyId}, ${head.revision}::bigint, ${digest})
    ON CONFLICT (company_id) DO UPDATE SET revision = coalesce(excluded.revision, imports.revision),
      digest = CASE WHEN excluded.revision IS NULL THEN imports.digest ELSE excluded.digest END,
      imported_at = excluded.imported_at, refused_at = NULL, refused_reason = NULL`;
  return report;
}

/** Throws an ImportError that names what exists already. */
async function requireUnused({ tx, staging, companyId, isNew }: Checked, { update }: ImportOptions): Promise<void> {
  const problems: string[] = [];
  if (!isNew && !update) problems.push(`company.id: ${quote(companyId)} exists already, add --update to change it`);
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

function requireNewer({ revision }: Head, { revision: last }: Company): void {
  if (last === null || revision === null || revision > last) return;
  const other = revision === last ? ', which was another file' : '';
  throw new ImportError([`revision: must be higher than ${last}, the last one that was imported${other}`]);
}

/** The sequence up to which the writer of the file knows every event: 0 if it does not say. */
async function asOfOf(
  tx: Transaction,
  { company, as_of: cursor }: Head,
  { overwrite }: ImportOptions,
): Promise<number> {
  const position = cursor === null ? null : readCursor(eventKind, cursor);
  if (!position) return 0;
  if (await isKnownEvent(tx, company.id, position)) return Number(position.key);
  if (overwrite) return 0;
  throw new ImportError([
    'as_of: names an event that this database does not have: it was set back to an earlier moment, or the cursor is of ' +
      'another gateway. Read the events again from the beginning, and import a whole file with --remove-missing and the new cursor',
  ]);
}

async function insertAll(told: Update, { onProgress = () => {} }: ImportOptions): Promise<ImportReport> {
  const { tx, staging, companyId } = told;
  const report = emptyReport(companyId, true);
  await recordVersions(told);
  const total = [...staging.counts.values()].reduce((sum, count) => sum + count, 0);
  if (staging.tables.has('activities')) {
    await tx.$executeRaw(sql`
      UPDATE staged_companies SET last_sequence = (SELECT count(*) FROM staged_activities) WHERE id = ${companyId}`);
  } else await tx.$executeRaw(sql`UPDATE staged_companies SET last_sequence = 0`);
  let written = 0;
  for (const table of tables.filter((each) => staging.tables.has(each))) {
    report.tables[table].added = await insertRows(told, table);
    written += report.tables[table].added;
    onProgress(written, total);
  }
  return report;
}

async function update(told: Update, head: Head, options: ImportOptions): Promise<ImportReport> {
  const { staging, overwrite } = told;
  if (options.removeMissing) await removeMissing(told, head);
  const problems = [...(await unidentified(told)), ...(await removalProblems(told, options))];
  if (problems.length > 0) throw new ImportError(problems);
  await matchRows(told);
  const wrong = await compareHistories(told);
  // What is wrong with a history may be that an operation has just added to it.
  if (!overwrite) requireKnownChanges(await unknownChanges(told));
  if (wrong.length > 0) throw new ImportError(wrong);
  await recordVersions(told);
  await compareRows(told);
  await findDoomed(told);
  const findings = await describeChanges(told, options.shown ?? 50);
  const report = { ...(await countRows(told)), findings };
  if (!options.dryRun) {
    await lockRows(told);
    // Somebody may have changed one of them before it was locked.
    const overtaken = await overtakenDocuments(told);
    if (!overwrite) requireKnownChanges(await unknownChanges(told, { onlyLocked: true }));
    if (overtaken.length > 0) throw new ImportError(overtaken);
  }
  const overwritten = overwrite ? await unknownChanges(told) : [];
  if (!options.dryRun) {
    await applyRows(told);
    const total = [...staging.counts.values()].reduce((sum, count) => sum + count, 0);
    options.onProgress?.(total, total);
  }
  return { ...report, overwritten };
}

function requireKnownChanges(changes: UnknownChange[]): void {
  if (changes.length > 0) throw new UnknownChangesError(changes);
}

/** Notes what a whole file does not name. Throws an ImportError if it is no whole file. */
async function removeMissing(update: Update, { given }: Head): Promise<void> {
  const { tx, staging, companyId } = update;
  for (const [list, { table, gone }] of Object.entries(lists)) {
    const count = await tx.$executeRaw(sql`
      INSERT INTO import_removed SELECT ${table}, t.id FROM ${rawSql(table)} t
      WHERE t.company_id = ${companyId} ${rawSql(gone ? `AND t.${gone} IS NULL` : '')}
        AND NOT ${isStaged(update, table, sql`s.id = t.id`)}`);
    staging.hasRemoved ||= count > 0;
    if (count > 0 && !given.has(list))
      throw new ImportError([
        `${list}: must be in a file whose missing records are removed; the company has ${count}. Write an empty list if all are gone`,
      ]);
  }
}

/** Ids that the file says are gone, and that the company does not have (any more), are no problem: a delta may be repeated. */
async function removalProblems(told: Update, options: ImportOptions): Promise<string[]> {
  const { tx, staging, companyId } = told;
  if (!staging.hasRemoved) return [];
  for (const { table, gone } of Object.values(lists)) {
    const isThere =
      gone === 'suspended_at'
        ? sql`AND (t.suspended_at IS NULL OR EXISTS (
            SELECT FROM api_tokens a WHERE a.company_id = ${companyId} AND a.person_id = t.id AND a.revoked_at IS NULL))`
        : rawSql(gone ? `AND t.${gone} IS NULL` : '');
    await tx.$executeRaw(sql`
      DELETE FROM import_removed r WHERE r.tbl = ${table}
        AND NOT EXISTS (SELECT FROM ${rawSql(table)} t WHERE t.company_id = ${companyId} AND t.id = r.id ${isThere} OFFSET 0)`);
  }
  await tx.$executeRaw`ANALYZE import_removed`;
  const dangling = options.removeMissing ? await danglingReferences(told) : [];
  return [...dangling, ...(await problemsOfRemovals(told))];
}

function emptyReport(companyId: string, isNew: boolean): ImportReport {
  const none = () => ({ added: 0, changed: 0, removed: 0, unchanged: 0 });
  const counted = Object.fromEntries(tables.map((table) => [table, none()])) as Record<Table, Counted>;
  return { companyId, isNew, isRepeated: false, tables: counted, findings: [], overwritten: [], openedSpaces: [] };
}

async function countRows({ tx, staging, companyId }: Update): Promise<ImportReport> {
  const report = emptyReport(companyId, false);
  const parts = [...staging.tables].map(
    (table) => sql`
      SELECT ${table} AS tbl, count(*) FILTER (WHERE differs IS NULL)::integer AS added,
        count(*) FILTER (WHERE differs)::integer AS changed, count(*) FILTER (WHERE NOT differs)::integer AS unchanged
      FROM ${staged(table)}`,
  );
  const counted = await tx.$queryRaw<({ tbl: Table } & Omit<Counted, 'removed'>)[]>(joinSql(parts, ' UNION ALL '));
  for (const { tbl, ...counts } of counted) Object.assign(report.tables[tbl], counts);
  report.tables.companies.unchanged = 0;
  const removed = await tx.$queryRaw<{ tbl: Table; count: number }[]>`
    SELECT tbl, count(*)::integer AS count FROM (SELECT tbl, id FROM import_doomed UNION SELECT tbl, id FROM import_removed) d GROUP BY tbl`;
  for (const { tbl, count } of removed) report.tables[tbl].removed = count;
  return report;
}

/** The first changes, with field, old and new value. */
async function describeChanges({ tx, staging, companyId }: Update, shown: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const ignored = ['inserted_at', 'updated_at', 'company_id', 'sequence', 'recorded_at', 'removed_at'];
  for (const table of tables.filter(
    (each) => staging.tables.has(each) && !isAppended(each) && rowKeyOf(each).length === 1,
  )) {
    if (table === 'companies' || table === 'public_links') continue;
    const own = columns(columnsOf(table), 's');
    const found = await tx.$queryRaw<Finding[]>(sql`
      SELECT ${table} AS "table", s.id, s.path, e.key AS field, e.value AS here, n.row -> e.key AS file
      FROM (SELECT * FROM ${staged(table)} WHERE differs ORDER BY n LIMIT ${shown - findings.length}::integer) s
      ${lookUp(table, companyId, sql`t.id = s.id`)}
      CROSS JOIN LATERAL (SELECT to_jsonb(x) AS row FROM (SELECT ${own}) x OFFSET 0) n
      CROSS JOIN LATERAL jsonb_each(to_jsonb(t)) e
      WHERE e.key <> ALL (${ignored}::text[]) AND n.row ? e.key AND n.row -> e.key <> e.value
      ORDER BY s.n LIMIT ${shown - findings.length}::integer`);
    findings.push(...found);
    if (findings.length >= shown) break;
  }
  return findings;
}

/** One line for a person: what it is, where, and both sides. */
export const findingText = ({ table, id, path, field, here, file }: Finding): string =>
  `${path || table} (${quote(id)}): ${field} ${quote(here)} → ${quote(file)}`;

/** What the database has refused, in words of the file. */
function refusalOf(error: unknown, company: string | undefined): unknown {
  const { code, message, detail = '' } = error as { code?: string; message: string; detail?: string };
  if (code === '23505' && company !== undefined && /companies_pkey/.test(message))
    return new ImportError([`company.id: ${quote(company)} exists already, add --update to change it`]);
  if (code === '23505' && /public_links_pkey/.test(message)) {
    // The words around it are in the language of the server.
    const [, link = ''] = /\(token\)=\((.*)\)/.exec(detail) ?? [];
    return new ImportError([`public_token: ${quote(link)} exists already`]);
  }
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
