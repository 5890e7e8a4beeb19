import type pg from 'pg';

/** What holds for all rows at any time; each statement selects the ids that break it. $1 is the prefix of the ids. */
const invariants: Record<string, string> = {
  'version numbers are 1 to current, without gaps': `
    SELECT d.id FROM resource_hub_documents d LEFT JOIN document_versions v ON v.document_id = d.id
    WHERE starts_with(d.id, $1) GROUP BY d.company_id, d.id
    HAVING count(*) <> d.current_version OR max(v.version_number) <> d.current_version OR min(v.version_number) <> 1
      OR count(DISTINCT v.version_number) <> count(*)`,
  'a document is equal to its current version': `
    SELECT d.id FROM resource_hub_documents d
    JOIN document_versions v ON v.document_id = d.id AND v.version_number = d.current_version
    WHERE starts_with(d.id, $1) AND (d.name <> v.title OR d.content <> v.content)`,
  'a restored version is equal to its source': `
    SELECT v.id FROM document_versions v
    JOIN document_versions s ON s.document_id = v.document_id AND s.version_number = v.restored_from_version_number
    WHERE starts_with(v.document_id, $1) AND (s.title <> v.title OR s.content <> v.content)`,
  'a restored version has one activity, of its editor': `
    SELECT v.id FROM document_versions v LEFT JOIN activities a ON a.document_version_id = v.id
      AND a.action = 'document_version_restored' AND a.author_id = v.editor_id AND a.document_id = v.document_id
    WHERE starts_with(v.document_id, $1) AND v.origin = 'restored' GROUP BY v.company_id, v.id HAVING count(a.id) <> 1`,
  'a change of a document has one version': `
    SELECT d.id FROM resource_hub_documents d WHERE starts_with(d.id, $1) AND
      (SELECT count(*) FROM document_versions v WHERE v.document_id = d.id AND v.version_number > 3) <>
      (SELECT count(*) FROM activities a WHERE a.document_id = d.id AND a.origin <> 'import')`,
  'mentioned people are subscribed to a restored document': `
    SELECT v.id FROM document_versions v JOIN people p ON starts_with(p.id, $1) AND v.content LIKE '%"' || p.id || '"%'
    LEFT JOIN subscription_lists l ON l.document_id = v.document_id
    LEFT JOIN subscriptions s ON s.subscription_list_id = l.id AND s.person_id = p.id
    WHERE starts_with(v.document_id, $1) AND v.origin = 'restored' AND s.id IS NULL`,
  'nobody is notified of a restored version': `
    SELECT n.id FROM notifications n JOIN activities a ON a.id = n.activity_id WHERE starts_with(a.document_id, $1)`,
  'closings and reopenings of a goal take turns': `
    SELECT g.id FROM goals g LEFT JOIN activities a ON a.goal_id = g.id WHERE starts_with(g.id, $1) GROUP BY g.company_id, g.id
    HAVING count(*) FILTER (WHERE a.action = 'goal_closed') - count(*) FILTER (WHERE a.action = 'goal_reopened')
      <> CASE WHEN g.closed_at IS NULL THEN 0 ELSE 1 END`,
  'a reopening has one thread with one list': `
    SELECT a.id FROM activities a LEFT JOIN comment_threads t ON t.activity_id = a.id
    LEFT JOIN subscription_lists l ON l.thread_id = t.id
    WHERE starts_with(a.goal_id, $1) AND a.action = 'goal_reopened' GROUP BY a.company_id, a.id
    HAVING count(DISTINCT t.id) <> 1 OR count(DISTINCT l.id) <> 1`,
  'deletions and recoveries of a file take turns': `
    SELECT f.id FROM resource_hub_files f LEFT JOIN activities a ON a.file_id = f.id WHERE starts_with(f.id, $1) GROUP BY f.company_id, f.id
    HAVING count(*) FILTER (WHERE a.action = 'resource_hub_file_deleted')
      - count(*) FILTER (WHERE a.action = 'resource_hub_file_recovered') <> CASE WHEN f.deleted_at IS NULL THEN 0 ELSE 1 END`,
  'the sequences of a company are 1 to its last, without gaps': `
    SELECT c.id FROM companies c LEFT JOIN activities a ON a.company_id = c.id AND a.sequence IS NOT NULL
    WHERE c.id IN (SELECT company_id FROM people WHERE starts_with(id, $1)) GROUP BY c.id
    HAVING count(a.id) <> c.last_sequence OR coalesce(max(a.sequence), 0) <> c.last_sequence`,
  'the events of a goal or a file follow the order of its changes': `
    SELECT id FROM (
      SELECT id, action, lag(action) OVER (PARTITION BY company_id, goal_id, file_id ORDER BY sequence) AS before
      FROM activities WHERE starts_with(coalesce(goal_id, file_id), $1) AND sequence IS NOT NULL
    ) a WHERE action = before`,
  'the events of a document follow its versions': `
    SELECT id FROM (
      SELECT a.id, v.version_number AS number,
        lag(v.version_number) OVER (PARTITION BY a.company_id, a.document_id ORDER BY a.sequence) AS before
      FROM activities a JOIN document_versions v ON v.company_id = a.company_id AND v.id = a.document_version_id
      WHERE starts_with(a.document_id, $1) AND a.sequence IS NOT NULL AND a.origin <> 'import'
    ) a WHERE number < before`,
  'a person is notified once of an event': `
    SELECT min(id) FROM notifications WHERE starts_with(person_id, $1) GROUP BY activity_id, person_id HAVING count(*) > 1`,
  'a person is subscribed once to a list': `
    SELECT min(id) FROM subscriptions WHERE starts_with(person_id, $1)
    GROUP BY subscription_list_id, person_id HAVING count(*) > 1`,
  'a subject has one list': `
    SELECT min(id) FROM subscription_lists WHERE starts_with(coalesce(file_id, document_id, $1), $1)
    GROUP BY thread_id, file_id, document_id HAVING count(*) > 1`,
  'a canceled subscription stays canceled': `
    SELECT s.id FROM subscriptions s JOIN subscription_lists l ON l.id = s.subscription_list_id
    WHERE s.person_id = $1 || '-reader-1' AND NOT s.canceled AND (l.file_id IS NOT NULL OR l.document_id IN
      ($1 || '-document-0', $1 || '-document-2'))`,
};

export interface Version {
  id: string;
  document_id: string;
  version_number: number;
  title: string;
  content: string;
  editor_id: string;
  origin: string;
  source: number | null;
}

export interface Activity {
  id: string;
  action: string;
  author_id: string;
  goal_id: string | null;
  file_id: string | null;
  message: string | null;
  everyone: boolean | null;
  subscribed: string[];
  notified: string[];
}

/** Everything that a check compares, read at one moment. */
export interface Snapshot {
  broken: string[];
  versions: Version[];
  activities: Activity[];
  /** The results of idempotency keys, by token and key. */
  outcomes: Map<string, string>;
  /** A hash of each row of the history. */
  hashes: Map<string, string>;
}

const versions = `
  SELECT id, document_id, version_number, title, content, editor_id, origin::text, restored_from_version_number AS source
  FROM document_versions WHERE starts_with(document_id, $1)`;
const activities = `
  SELECT a.id, a.action::text, a.author_id, a.goal_id, a.file_id, t.message, l.send_to_everyone AS everyone,
    ARRAY(SELECT s.person_id FROM subscriptions s WHERE s.subscription_list_id = l.id ORDER BY 1) AS subscribed,
    ARRAY(SELECT n.person_id FROM notifications n WHERE n.activity_id = a.id ORDER BY 1) AS notified
  FROM activities a LEFT JOIN comment_threads t ON t.activity_id = a.id LEFT JOIN subscription_lists l ON l.thread_id = t.id
  WHERE starts_with(a.author_id, $1)`;
const outcomes = `
  SELECT k.token_id || ' ' || k.key AS name, k.result FROM idempotency_keys k JOIN api_tokens t ON t.id = k.token_id
  WHERE starts_with(t.person_id, $1)`;
const hashes = `
  SELECT 'version ' || v.id AS name, md5(v::text) AS hash FROM document_versions v WHERE starts_with(v.document_id, $1)
  UNION ALL SELECT 'activity ' || a.id, md5((to_jsonb(a) - 'sequence')::text) FROM activities a WHERE starts_with(a.author_id, $1)
  UNION ALL SELECT 'thread ' || t.id, md5(t::text) FROM comment_threads t JOIN activities a ON a.id = t.activity_id
    WHERE starts_with(a.author_id, $1)`;

export async function readSnapshot(pool: pg.Pool, prefix: string): Promise<Snapshot> {
  const client = await pool.connect();
  const read = async (sql: string) => (await client.query(sql, [prefix])).rows;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const broken: string[] = [];
    for (const [what, sql] of Object.entries(invariants)) {
      const ids = (await read(sql)).map((row) => String(Object.values(row)[0]));
      if (ids.length > 0) broken.push(`not true that ${what}: ${ids.join(', ')}`);
    }
    return {
      broken,
      versions: await read(versions),
      activities: await read(activities),
      outcomes: new Map((await read(outcomes)).map(({ name, result }) => [name, result])),
      hashes: new Map((await read(hashes)).map(({ name, hash }) => [name, hash])),
    };
  } finally {
    client.release(true);
  }
}

/** Adds the hashes of the rows that are there now, to be compared later. */
export async function takeHashes(pool: pg.Pool, prefix: string, into: Map<string, string>): Promise<void> {
  const { rows } = await pool.query(hashes, [prefix]).catch(() => ({ rows: [] }));
  for (const { name, hash } of rows) if (!into.has(name)) into.set(name, hash);
}
