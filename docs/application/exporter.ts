import type pg from 'pg';

/** The fields of Goalpost's format, from the tables of this application. */
const records = {
  person: `SELECT id, name AS full_name, email, CASE WHEN is_guest THEN 'guest' ELSE 'human' END AS type,
      left_at AS suspended_at FROM people`,
  space: `SELECT id, name, jsonb_build_object('public', 0, 'company', company_level, 'space', member_level) AS access_levels, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('person_id', m.person_id) ORDER BY m.person_id), '[]')
      FROM space_members m WHERE m.space_id = s.id) AS members FROM spaces s`,
  goal: `SELECT g.id, space_id, g.name, closed_at, closed_by AS closed_by_id, success, jsonb_build_object('public', 0,
        'company', coalesce(g.company_level, s.company_level), 'space', coalesce(g.member_level, s.member_level)) AS access_levels, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('person_id', a.person_id, 'level', a.level) ORDER BY a.person_id), '[]')
      FROM goal_access a WHERE a.goal_id = g.id) AS access FROM goals g JOIN spaces s ON s.id = g.space_id`,
  folder: `SELECT id, 'papers' AS resource_hub_id, name FROM folders`,
  file: `SELECT id, 'papers' AS resource_hub_id, folder_id AS parent_folder_id, name, 'owner' AS author_id, deleted_at,
      deleted_by AS deleted_by_id,
      jsonb_build_object('filename', id || '.txt', 'size', 1, 'content_type', 'text/plain') AS blob FROM files`,
  document: `SELECT d.id, 'papers' AS resource_hub_id, d.folder_id AS parent_folder_id, last.title AS name, last.content,
      'owner' AS author_id, 'published' AS state, '2026-01-01T00:00:00Z' AS published_at, (
      SELECT jsonb_agg(jsonb_build_object('version_number', v.number, 'title', v.title, 'content', v.content,
        'editor_id', v.editor, 'inserted_at', v.written_at, 'restored_from_version_number', v.restored_from)
        ORDER BY v.number) FROM versions v WHERE v.document_id = d.id) AS versions
    FROM documents d CROSS JOIN LATERAL (
      SELECT title, content FROM versions v WHERE v.document_id = d.id ORDER BY number DESC LIMIT 1) last`,
};

type Kind = keyof typeof records;

const lists = {
  person: 'people',
  space: 'spaces',
  goal: 'goals',
  folder: 'folders',
  file: 'files',
  document: 'documents',
};

/** What every file has: the company, and what this application does not change. */
const frame = [
  { kind: 'company', id: 'acme', name: 'Acme' },
  { kind: 'person', id: 'owner', full_name: 'Olga Owner', is_owner: true },
];

/** The one hub, after its space. */
const hub = { kind: 'resource_hub', id: 'papers', space_id: 'team', name: 'Papers' };

interface Change {
  kind: Kind;
  id: string;
  number: string;
}

/** A file for `goalpost import --update`, and the changes that are in it. */
export interface ExportedFile {
  revision: number;
  text: string;
  changes: Change[];
}

/**
 * Writes what no acknowledged file has, or all records. Everything is read in one snapshot: the records, as_of, and the
 * revision, so that a higher one never has older records. Undefined if there is nothing to send.
 */
export async function exportChanges(
  client: pg.ClientBase,
  { isWhole = false } = {},
): Promise<ExportedFile | undefined> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    // Fails if another export has ended since this one began: the next call succeeds.
    const sent = await client.query('UPDATE sent SET revision = revision + 1 RETURNING revision');
    const taken = await client.query('SELECT cursor FROM taken_in');
    const changes = (await client.query<Change>('SELECT kind, id, number FROM changes')).rows;
    if (changes.length === 0 && !isWhole) {
      await client.query('ROLLBACK');
      return undefined;
    }
    const revision = Number(sent.rows[0].revision);
    const removed: Record<string, string[]> = {};
    const lines: object[] = [];
    for (const [kind, select] of Object.entries(records)) {
      const ids = changes.filter((change) => change.kind === kind).map(({ id }) => id);
      const wanted = isWhole ? select : `SELECT * FROM (${select}) r WHERE id = ANY ($1)`;
      const { rows } = await client.query(wanted, isWhole ? [] : [ids]);
      lines.push(...rows.map((row) => ({ kind, ...row })));
      if (kind === 'space') lines.push(hub);
      const found = new Set(rows.map(({ id }) => id));
      if (!isWhole) removed[lists[kind as Kind]] = ids.filter((id) => !found.has(id));
    }
    await client.query('COMMIT');
    const header = { kind: 'header', revision, as_of: taken.rows[0].cursor, ...(!isWhole && { removed }) };
    const all = [header, ...frame, ...lines];
    const text = [...all, { kind: 'end', records: all.length }].map((line) => `${JSON.stringify(line)}\n`).join('');
    return { revision, text, changes };
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * Settles what a file had, once the import has succeeded: each change by its number, because the record may have changed
 * again meanwhile.
 */
export async function acknowledge(client: pg.ClientBase, { changes }: ExportedFile): Promise<void> {
  await client.query(
    'DELETE FROM changes WHERE (kind, id, number) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]))',
    [changes.map(({ kind }) => kind), changes.map(({ id }) => id), changes.map(({ number }) => number)],
  );
}
