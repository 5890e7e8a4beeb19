import type pg from 'pg';
import { invariants } from './invariants.js';

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
