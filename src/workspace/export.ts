import { eventCursor, eventKind, isKnownEvent } from '../events/event.js';
import { readCursor } from '../lists/engine.js';
import { type Database, rawSql, sql, type Transaction } from '../platform/postgres/index.js';
import { analyzeUncounted } from './statistics.js';
import { children, columnsOf, fieldsOf, isSingle, lists, rowKeyOf, type Table } from './tables.js';

/** The most records that one statement returns, and characters of JSON before the last of them. */
const atOnce = { records: 100, bytes: 1_000_000 };
const limits = { timeout: 3_600_000 };

export interface ExportOptions {
  companyId: string;
  /** A cursor of the feed: only what operations have changed by an event after it. */
  since?: string | undefined;
  /** Whether the tokens of public links are in the file. */
  links?: boolean | undefined;
}

const time = (value: string) => `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** What is written of the rows of a table besides what is nested in them, and which of their columns are not. */
type Shapes = Partial<Record<Table, { without?: readonly string[]; fields?: Record<string, string> }>>;

/** What is said of an activity depends on its subject. */
const ofSubject: Record<string, Record<string, string>> = {
  goal_id: {
    undone_outcome: `CASE WHEN activities.undone_closed_at IS NOT NULL THEN jsonb_build_object(
      'success', activities.undone_success, 'closed_at', ${time('activities.undone_closed_at')},
      'closed_by_id', activities.undone_closed_by_id) END`,
  },
  document_id: {
    version_number: `(SELECT v.version_number FROM document_versions v
      WHERE v.company_id = t.company_id AND v.id = activities.document_version_id)`,
  },
};

/** A JSON object of a row, with all that is nested in it. Rows are named by their table, the record itself `t`. */
function recordOf(table: Table, row: string, shapes: Shapes, more: Record<string, string> = {}): string {
  const { without = [], fields = {} } = shapes[table] ?? {};
  const names = fieldsOf(table).flatMap(({ name }) => (without.includes(name) ? [] : [name]));
  const own = names.map((name) => [name, name.endsWith('_at') ? time(`${row}."${name}"`) : `${row}."${name}"`]);
  const inside = children[table].map((child) => [child.field, nestedIn(row, child.table, child.column, shapes)]);
  const all = [...own, ...Object.entries({ ...fields, ...more }), ...inside];
  return `jsonb_build_object(${all.map(([name, value]) => `'${name}', ${value}`).join(', ')})`;
}

/** A JSON list of the rows whose column has the id of a row, or the only one. */
function nestedIn(row: string, table: Table, column: string, shapes: Shapes): string {
  const value = recordOf(table, table, shapes, table === 'activities' ? ofSubject[column] : {});
  const from = `FROM ${table} WHERE ${table}.company_id = t.company_id AND ${table}.${column} = ${row}.id`;
  return isSingle(table)
    ? `(SELECT ${value} ${from})`
    : `coalesce((SELECT jsonb_agg(${value} ORDER BY ${orderOf(table)}) ${from}), '[]')`;
}

function orderOf(table: Table): string {
  if (table === 'activities') return 'activities.sequence NULLS LAST, activities.recorded_at, activities.id';
  const [first] = ['index', 'version_number', 'inserted_at'].filter((name) => columnsOf(table).includes(name));
  return [first, ...rowKeyOf(table)].flatMap((name) => (name ? `${table}."${name}"` : [])).join(', ');
}

const access_levels = `jsonb_build_object('public', t.public_level, 'company', t.company_level, 'space', t.space_level)`;
const leveled = { fields: { access_levels } };

const contextualDate = (end: string) => `CASE WHEN t.${end}_date IS NOT NULL THEN jsonb_build_object(
  'date_type', t.${end}_date_type, 'value', t.${end}_date_value, 'date', to_char(t.${end}_date, 'YYYY-MM-DD')) END`;
const timeframe = `jsonb_build_object('contextual_start_date', ${contextualDate('start')}, 'contextual_end_date', ${contextualDate('end')})`;

const shapesOf = (links: boolean): Shapes => ({
  spaces: leveled,
  goals: { fields: { access_levels, timeframe } },
  projects: leveled,
  goal_progress_updates: {
    fields: { acknowledging_person_id: 'goal_progress_updates.acknowledged_by_id' },
  },
  resource_hub_files: {
    fields: {
      blob: `(SELECT ${recordOf('blobs', 'b', {})} FROM blobs b WHERE b.company_id = t.company_id AND b.id = t.blob_id)`,
    },
  },
  resource_hub_documents: { without: links ? [] : ['public_token'] },
});

const isThere = 't.removed_at IS NULL';
const isInHub = `EXISTS (SELECT FROM resource_hubs h
  WHERE h.company_id = t.company_id AND h.id = t.resource_hub_id AND h.removed_at IS NULL)`;

/** There is no such company, or it does not have the event. */
export class NothingToExport extends Error {}

async function sequenceOf(tx: Transaction, companyId: string, cursor: string): Promise<number> {
  const position = readCursor(eventKind, cursor);
  if (position && (await isKnownEvent(tx, companyId, position))) return Number(position.key);
  throw new NothingToExport(
    `--since takes a cursor of the feed of ${JSON.stringify(companyId)}: an as_of, or an endCursor`,
  );
}

/** Writes a company as a file that an import takes back, as of one moment. Returns the number of records. */
export async function exportWorkspace(
  db: Database,
  { companyId, since, links = false }: ExportOptions,
  write: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<number> {
  const shapes = shapesOf(links);
  let records = 0;
  await analyzeUncounted(db);
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`;
    const [company] = await tx.$queryRaw<
      { name: string; inserted: string; last: string | null; event: string | null }[]
    >(sql`
      SELECT c.name, ${rawSql(time('c.inserted_at'))} AS inserted, a.sequence::text AS last, a.id AS event
      FROM companies c LEFT JOIN LATERAL (
        SELECT sequence, id FROM activities WHERE company_id = ${companyId} AND sequence IS NOT NULL
        ORDER BY sequence DESC LIMIT 1
      ) a ON TRUE WHERE c.id = ${companyId}`);
    if (!company) throw new NothingToExport(`there is no company ${JSON.stringify(companyId)}`);
    const { name, inserted, last, event } = company;
    const asOf = last === null || event === null ? null : eventCursor(Number(last), event);
    const after = since === undefined ? undefined : await sequenceOf(tx, companyId, since);
    const line = (value: object) => {
      records += 1;
      return `${JSON.stringify(value)}\n`;
    };
    async function* lines() {
      yield line({ kind: 'header', as_of: asOf });
      yield line({ kind: 'company', id: companyId, name, inserted_at: inserted });
      for (const { kind, table } of Object.values(lists)) {
        const subject = children[table].find((child) => child.table === 'activities')?.column;
        if (after !== undefined && subject === undefined) continue;
        const columns = columnsOf(table);
        const conditions = [
          ...(columns.includes('removed_at') ? [isThere] : []),
          ...(columns.includes('resource_hub_id') ? [isInHub] : []),
        ];
        const value = recordOf(table, 't', shapes);
        const isWanted =
          after === undefined || subject === undefined
            ? sql`TRUE`
            : sql`EXISTS (SELECT FROM activities a WHERE a.company_id = ${companyId} AND a.origin = 'api'
                AND a.${rawSql(subject)} = t.id AND (a.sequence IS NULL OR a.sequence > ${after}::bigint) OFFSET 0)`;
        // How many fit is guessed from those before, so that PostgreSQL makes few that are not sent.
        for (let beyond = '', wanted = 1, count = 1; count > 0; ) {
          const rows = await tx.$queryRaw<{ id: string; record: string | null }[]>(sql`
            SELECT id, record FROM (
              SELECT id, record, sum(length(record)) OVER (ORDER BY id) - length(record) AS before FROM (
                SELECT t.id, CASE WHEN ${rawSql(['TRUE', ...conditions].join(' AND '))} AND ${isWanted}
                  THEN (jsonb_build_object('kind', ${kind}::text) || ${rawSql(value)})::text END AS record
                FROM (
                  SELECT * FROM ${rawSql(table)} WHERE company_id = ${companyId} AND id > ${beyond}
                  ORDER BY id LIMIT ${wanted}::integer
                ) t
              ) r
            ) measured WHERE coalesce(before, 0) < ${atOnce.bytes}::integer ORDER BY id`);
          count = rows.length;
          beyond = rows.at(-1)?.id ?? beyond;
          let bytes = 0;
          for (const { record } of rows) {
            if (record === null) continue;
            records += 1;
            bytes += record.length;
            yield `${record}\n`;
          }
          const fitting = Math.floor((count * atOnce.bytes) / Math.max(bytes, 1));
          wanted = Math.max(1, Math.min(2 * wanted, fitting, atOnce.records));
        }
      }
      yield `${JSON.stringify({ kind: 'end', records })}\n`;
    }
    await write(lines());
  }, limits);
  return records;
}
