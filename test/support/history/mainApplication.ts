import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { retryConflicts } from '../../../src/platform/postgres/connections.js';
import type { History, Written } from './history.js';

const statements = {
  edit: `
    WITH document AS (
      UPDATE resource_hub_documents SET name = $2, content = $2, current_version = current_version + 1, updated_at = now()
      WHERE id = $1 RETURNING company_id, id, current_version, author_id
    ), version AS (
      INSERT INTO document_versions
        (company_id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
      SELECT company_id, id, current_version, current_version - 1, $2, $2, author_id, 'edited' FROM document
    ), activity AS (
      INSERT INTO activities (company_id, action, author_id, document_id, name)
      SELECT company_id, 'resource_hub_document_edited', author_id, id, $2 FROM document
    )
    SELECT current_version AS result FROM document`,
  close: `
    WITH goal AS (
      UPDATE goals SET closed_at = now(), success = true, updated_at = now()
      WHERE id = $1 AND closed_at IS NULL RETURNING id, company_id, name
    ), activity AS (
      INSERT INTO activities (company_id, id, action, author_id, goal_id, name)
      SELECT company_id, $2, 'goal_closed', (SELECT min(p.id) FROM people p WHERE p.company_id = goal.company_id), id, name
      FROM goal
    )
    SELECT id AS result FROM goal`,
  revoke: `UPDATE api_tokens SET revoked_at = now() WHERE id = $1 AND $2 <> '' RETURNING id AS result`,
};

/** Writes as the main application does, beside the gateways, and takes it down in the history. Never throws. */
export async function write(
  pool: pg.Pool,
  { written }: History,
  kind: Written['kind'],
  id: string,
): Promise<string | number | undefined> {
  const entry: Written = { kind, id, mark: randomUUID(), sent: performance.now(), answered: Infinity, done: null };
  written.push(entry);
  try {
    const { rows } = await retryConflicts(() => pool.query(statements[kind], [id, entry.mark]));
    entry.done = rows.length > 0;
    return rows[0]?.result;
  } catch {
    return undefined; // The server was killed: the history says that it is not known.
  } finally {
    entry.answered = performance.now();
  }
}
