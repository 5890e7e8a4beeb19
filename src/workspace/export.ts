import { type Database, rawSql as raw, sql } from '../platform/postgres/index.js';
import { listOfKind } from './file.js';
import { columnsOf, removable, type Table } from './tables.js';

/** The most records that one statement returns, and characters of JSON before the last of them. */
const atOnce = { records: 100, bytes: 1_000_000 };
const limits = { timeout: 3_600_000 };

export interface ExportOptions {
  companyId: string;
  /** Only what operations have changed by an event after this one. */
  since?: number | undefined;
  /** Whether the tokens of public links are in the file. */
  links?: boolean | undefined;
}

const time = (value: string) => `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A JSON object of columns of a row, and of more fields with their SQL. */
function object(table: Table, row: string, without: string[], more: Record<string, string> = {}): string {
  const names = columnsOf(table).filter((name) => !without.includes(name));
  const own = names.map((name) => [name, name.endsWith('_at') ? time(`${row}."${name}"`) : `${row}."${name}"`]);
  const fields = [...own, ...Object.entries(more)].map(([name, value]) => `'${name}', ${value}`);
  return `jsonb_build_object(${fields.join(', ')})`;
}

/** A JSON list of the rows of a table whose column has this id. Rows are named by the table. */
const listOf = (table: Table, on: string, order: string, value: string): string =>
  `coalesce((SELECT jsonb_agg(${value} ORDER BY ${order}) FROM ${table} WHERE ${table}.company_id = t.company_id AND ${table}.${on}), '[]')`;

const levels = `jsonb_build_object('public', t.public_level, 'company', t.company_level, 'space', t.space_level)`;
const levelColumns = ['public_level', 'company_level', 'space_level', 'removed_at'];

const access = (column: string) =>
  listOf(
    'access_grants',
    `${column} = t.id`,
    'access_grants.id',
    object('access_grants', 'access_grants', ['space_id', 'goal_id', 'project_id']),
  );

const subjects = ['thread_id', 'progress_update_id', 'retrospective_id', 'file_id', 'document_id', 'comment_id'];

const reactions = (on: string) =>
  listOf('reactions', on, 'reactions.inserted_at, reactions.id', object('reactions', 'reactions', subjects));

const comments = (on: string) =>
  listOf(
    'comments',
    on,
    'comments.inserted_at, comments.id',
    object('comments', 'comments', subjects, { reactions: reactions('comment_id = comments.id') }),
  );

const subscriptionList = (on: string) => {
  const subscriptions = listOf(
    'subscriptions',
    'subscription_list_id = subscription_lists.id',
    'subscriptions.inserted_at, subscriptions.id',
    object('subscriptions', 'subscriptions', ['subscription_list_id']),
  );
  const list = object('subscription_lists', 'subscription_lists', subjects, { subscriptions });
  return `(SELECT ${list} FROM subscription_lists WHERE subscription_lists.company_id = t.company_id AND ${on})`;
};

/** The activities of a record, with what hangs on them. */
function activities(column: string, more: Record<string, string> = {}): string {
  const thread = object('comment_threads', 'comment_threads', ['activity_id'], {
    comments: comments('thread_id = comment_threads.id'),
    subscription_list: subscriptionList('subscription_lists.thread_id = comment_threads.id'),
  });
  const notifications = listOf(
    'notifications',
    'activity_id = activities.id',
    'notifications.id',
    object('notifications', 'notifications', ['activity_id']),
  );
  const kept = ['id', 'action', 'author_id', 'name', 'inserted_at'];
  const without = columnsOf('activities').filter((name) => !kept.includes(name));
  const value = object('activities', 'activities', without, {
    ...more,
    thread: `(SELECT ${thread} FROM comment_threads
      WHERE comment_threads.company_id = t.company_id AND comment_threads.activity_id = activities.id)`,
    notifications,
  });
  return listOf(
    'activities',
    `${column} = t.id`,
    'activities.sequence NULLS LAST, activities.recorded_at, activities.id',
    value,
  );
}

const contextualDate = (end: string) => `CASE WHEN t.${end}_date IS NOT NULL THEN jsonb_build_object(
  'date_type', t.${end}_date_type, 'value', t.${end}_date_value, 'date', to_char(t.${end}_date, 'YYYY-MM-DD')) END`;

const isInHub = `EXISTS (SELECT FROM resource_hubs h
  WHERE h.company_id = t.company_id AND h.id = t.resource_hub_id AND h.removed_at IS NULL)`;

interface Exported {
  value: string;
  condition?: string;
  /** The column of activities that names it, if operations change it. */
  subject?: string;
}

/** What is written of each kind of record. */
const kinds = (links: boolean): Record<string, Exported> => ({
  person: { value: object('people', 't', []) },
  space: {
    value: object('spaces', 't', levelColumns, {
      access_levels: levels,
      access: access('space_id'),
      members: listOf(
        'space_members',
        'space_id = t.id',
        'space_members.person_id',
        object('space_members', 'space_members', ['space_id']),
      ),
    }),
    condition: 't.removed_at IS NULL',
  },
  goal: {
    value: object(
      'goals',
      't',
      [...levelColumns, ...['start', 'end'].flatMap((end) => [`${end}_date_type`, `${end}_date_value`, `${end}_date`])],
      {
        timeframe: `jsonb_build_object('contextual_start_date', ${contextualDate('start')}, 'contextual_end_date', ${contextualDate('end')})`,
        access_levels: levels,
        access: access('goal_id'),
        targets: listOf(
          'targets',
          'goal_id = t.id',
          'targets.index, targets.id',
          object('targets', 'targets', ['goal_id']),
        ),
        checklist: listOf(
          'goal_checks',
          'goal_id = t.id',
          'goal_checks.index, goal_checks.id',
          object('goal_checks', 'goal_checks', ['goal_id']),
        ),
        progress_updates: listOf(
          'goal_progress_updates',
          'goal_id = t.id',
          'goal_progress_updates.inserted_at, goal_progress_updates.id',
          object('goal_progress_updates', 'goal_progress_updates', ['goal_id', 'acknowledged_by_id'], {
            acknowledging_person_id: 'goal_progress_updates.acknowledged_by_id',
            comments: comments('progress_update_id = goal_progress_updates.id'),
            reactions: reactions('progress_update_id = goal_progress_updates.id'),
          }),
        ),
        retrospectives: listOf(
          'goal_retrospectives',
          'goal_id = t.id',
          'goal_retrospectives.inserted_at, goal_retrospectives.id',
          object('goal_retrospectives', 'goal_retrospectives', ['goal_id'], {
            comments: comments('retrospective_id = goal_retrospectives.id'),
          }),
        ),
        activities: activities('goal_id', {
          undone_outcome: `CASE WHEN activities.undone_closed_at IS NOT NULL THEN jsonb_build_object(
            'success', activities.undone_success, 'closed_at', ${time('activities.undone_closed_at')},
            'closed_by_id', activities.undone_closed_by_id) END`,
        }),
      },
    ),
    condition: 't.removed_at IS NULL',
    subject: 'goal_id',
  },
  project: {
    value: object('projects', 't', levelColumns, { access_levels: levels, access: access('project_id') }),
    condition: 't.removed_at IS NULL',
  },
  resource_hub: { value: object('resource_hubs', 't', ['removed_at']), condition: 't.removed_at IS NULL' },
  folder: { value: object('resource_hub_folders', 't', []), condition: isInHub },
  file: {
    value: object('resource_hub_files', 't', ['blob_id'], {
      blob: `(SELECT ${object('blobs', 'b', [])} FROM blobs b WHERE b.company_id = t.company_id AND b.id = t.blob_id)`,
      comments: comments('file_id = t.id'),
      reactions: reactions('file_id = t.id'),
      subscription_list: subscriptionList('subscription_lists.file_id = t.id'),
      activities: activities('file_id'),
    }),
    condition: isInHub,
    subject: 'file_id',
  },
  document: {
    value: object('resource_hub_documents', 't', links ? [] : ['public_token'], {
      versions: listOf(
        'document_versions',
        'document_id = t.id',
        'document_versions.version_number',
        object('document_versions', 'document_versions', ['document_id', 'previous_version_number']),
      ),
      comments: comments('document_id = t.id'),
      reactions: reactions('document_id = t.id'),
      subscription_list: subscriptionList('subscription_lists.document_id = t.id'),
      activities: activities('document_id', {
        version_number: `(SELECT v.version_number FROM document_versions v
          WHERE v.company_id = t.company_id AND v.id = activities.document_version_id)`,
      }),
    }),
    condition: isInHub,
    subject: 'document_id',
  },
});

/** The company does not exist. */
export class NoSuchCompany extends Error {}

/**
 * Writes a company as a file with a record in each line, which an import takes back: all as of one moment. Holds about
 * a megabyte of records at a time. Returns the number of records.
 */
export async function exportWorkspace(
  db: Database,
  { companyId, since, links = false }: ExportOptions,
  write: (lines: AsyncIterable<string>) => Promise<void>,
): Promise<number> {
  let records = 0;
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`;
    const [company] = await tx.$queryRaw<{ last: bigint; name: string; inserted: string }[]>(sql`
      SELECT last_sequence AS last, name, ${raw(time('inserted_at'))} AS inserted FROM companies WHERE id = ${companyId}`);
    if (!company) throw new NoSuchCompany(`there is no company ${JSON.stringify(companyId)}`);
    const line = (value: object) => {
      records += 1;
      return `${JSON.stringify(value)}\n`;
    };
    async function* lines() {
      yield line({ kind: 'header', as_of: Number(company?.last) });
      yield line({ kind: 'company', id: companyId, name: company?.name, inserted_at: company?.inserted });
      for (const [kind, { value, condition = 'TRUE', subject }] of Object.entries(kinds(links))) {
        if (since !== undefined && subject === undefined) continue;
        const table = removable[listOfKind[kind] ?? '']?.table ?? 'people';
        const isWanted =
          since === undefined || subject === undefined
            ? sql`TRUE`
            : sql`t.id IN (SELECT a.${raw(subject)} FROM activities a WHERE a.company_id = ${companyId} AND a.origin = 'api'
                AND (a.sequence IS NULL OR a.sequence > ${since}::bigint))`;
        // How many fit is guessed from those before, so that PostgreSQL makes few that are not sent.
        for (let after = '', wanted = 1, count = 1; count > 0; ) {
          const rows = await tx.$queryRaw<{ id: string; record: string }[]>(sql`
            SELECT id, record FROM (
              SELECT id, record, sum(length(record)) OVER (ORDER BY id) - length(record) AS before FROM (
                SELECT t.id, (jsonb_build_object('kind', ${kind}::text) || ${raw(value)})::text AS record FROM ${raw(table)} t
                WHERE t.company_id = ${companyId} AND t.id > ${after} AND ${raw(condition)} AND ${isWanted}
                ORDER BY t.id LIMIT ${wanted}::integer
              ) r
            ) measured WHERE before < ${atOnce.bytes}::integer ORDER BY id`);
          count = rows.length;
          after = rows.at(-1)?.id ?? after;
          records += count;
          let bytes = 0;
          for (const { record } of rows) {
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
