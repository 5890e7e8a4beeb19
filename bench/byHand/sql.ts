// The statements besides the answers. $1 is the company, $2 the caller, $3 the record.

export const tokenSql = `SELECT t.id, t.company_id, t.person_id, t.can_write, t.last_used_at,
    t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) AND p.suspended_at IS NULL AS valid
  FROM token_companies c JOIN api_tokens t ON t.company_id = c.company_id AND t.hash = c.hash
  JOIN people p ON p.company_id = t.company_id AND p.id = t.person_id WHERE c.hash = $1`;
export const tokenUsedSql = `UPDATE api_tokens SET last_used_at = now()
  WHERE company_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')`;

export const goalToReopenSql = `SELECT a.level, g.closed_at IS NOT NULL AS closed, g.archived_at IS NOT NULL AS archived,
    ARRAY(SELECT w.id FROM unnest($4::text[]) w(id)
      WHERE NOT EXISTS (SELECT FROM people p WHERE p.company_id = $1 AND p.id = w.id)) AS unknown
  FROM goals g JOIN goal_access a ON a.company_id = $1 AND a.goal_id = g.id AND a.person_id = $2
  WHERE g.company_id = $1 AND g.id = $3`;

const membersOfSpace =
  'SELECT m.person_id FROM goal JOIN space_members m ON m.company_id = $1 AND m.space_id = goal.space_id';

/** $4 is the message, $5 whom to invite, $6 who is mentioned, $7 whether to notify everyone. */
export const reopenSql = (everyone: boolean) => `
  WITH closed AS (
    SELECT success, closed_at, closed_by_id FROM goals
    WHERE company_id = $1 AND id = $3 AND closed_at IS NOT NULL AND archived_at IS NULL AND EXISTS (SELECT FROM goal_access a
      WHERE a.company_id = $1 AND a.goal_id = $3 AND a.person_id = $2 AND a.level >= 70)
    FOR NO KEY UPDATE
  ), goal AS (
    UPDATE goals g SET closed_at = NULL, closed_by_id = NULL, success = NULL, updated_at = now()
    FROM closed WHERE g.company_id = $1 AND g.id = $3 RETURNING g.id, g.space_id, g.name
  ), activity AS (
    INSERT INTO activities (company_id, action, author_id, goal_id, name, undone_success, undone_closed_at, undone_closed_by_id)
    SELECT $1, 'goal_reopened', $2, goal.id, goal.name, closed.success, closed.closed_at, closed.closed_by_id
    FROM goal, closed RETURNING id
  ), thread AS (
    INSERT INTO comment_threads (company_id, activity_id, message) SELECT $1, id, $4 FROM activity RETURNING id
  ), list AS (
    INSERT INTO subscription_lists (company_id, thread_id, send_to_everyone) SELECT $1, id, $7::boolean FROM thread RETURNING id
  ), subscribed AS (
    INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type)
    SELECT $1, list.id, p.id, CASE WHEN p.id = $2 THEN 'joined' WHEN p.id = ANY($5::text[]) THEN 'invited'
      ELSE 'mentioned' END::subscription_type
    FROM list, people p WHERE p.company_id = $1 AND p.id = ANY($2 || $5::text[] || $6::text[]) RETURNING person_id
  ), viewers AS (
    SELECT person_id, level FROM goal_access WHERE company_id = $1 AND goal_id = $3
      ${everyone ? '' : 'AND person_id = ANY($2 || $5::text[] || $6::text[])'}
  ), notified AS (
    INSERT INTO notifications (company_id, activity_id, person_id) SELECT $1, activity.id, p.id FROM activity, people p
    WHERE p.company_id = $1 AND p.id <> $2 AND p.suspended_at IS NULL
      AND p.id IN (SELECT person_id FROM subscribed ${everyone ? `UNION ${membersOfSpace}` : ''})
      AND EXISTS (SELECT FROM viewers v WHERE v.person_id = p.id AND v.level >= 10)
  ) SELECT id FROM goal`;

export const fileToDeleteSql = `SELECT a.level FROM resource_hub_files f
  JOIN resource_hub_access a ON a.company_id = $1 AND a.resource_hub_id = f.resource_hub_id AND a.person_id = $2
  WHERE f.company_id = $1 AND f.id = $3 AND f.deleted_at IS NULL`;

export const deleteSql = `
  WITH file AS (
    UPDATE resource_hub_files f SET deleted_at = now(), deleted_by_id = $2
    WHERE f.company_id = $1 AND f.id = $3 AND f.deleted_at IS NULL AND EXISTS (SELECT FROM resource_hub_access a
      WHERE a.company_id = $1 AND a.resource_hub_id = f.resource_hub_id AND a.person_id = $2 AND a.level >= 70)
    RETURNING id, name, resource_hub_id
  ), activity AS (
    INSERT INTO activities (company_id, action, author_id, file_id, name)
    SELECT $1, 'resource_hub_file_deleted', $2, id, name FROM file RETURNING id
  ), list AS (
    SELECT l.id, l.send_to_everyone FROM file JOIN subscription_lists l ON l.company_id = $1 AND l.file_id = file.id
  ), followers AS (
    SELECT s.person_id, s.canceled FROM list JOIN subscriptions s ON s.company_id = $1 AND s.subscription_list_id = list.id
  ), space AS (
    SELECT coalesce(h.space_id, g.space_id, p.space_id) AS id
    FROM file JOIN resource_hubs h ON h.company_id = $1 AND h.id = file.resource_hub_id
    LEFT JOIN goals g ON g.company_id = $1 AND g.id = h.goal_id LEFT JOIN projects p ON p.company_id = $1 AND p.id = h.project_id
  ), viewers AS (
    SELECT a.person_id, a.level FROM file
    JOIN resource_hub_access a ON a.company_id = $1 AND a.resource_hub_id = file.resource_hub_id
  ), notified AS (
    INSERT INTO notifications (company_id, activity_id, person_id) SELECT $1, activity.id, p.id FROM activity, people p
    WHERE p.company_id = $1 AND p.id <> $2 AND p.suspended_at IS NULL
      AND p.id IN (SELECT person_id FROM followers WHERE NOT canceled UNION
        SELECT m.person_id FROM list, space JOIN space_members m ON m.company_id = $1 AND m.space_id = space.id
        WHERE list.send_to_everyone AND m.person_id NOT IN (SELECT person_id FROM followers WHERE canceled))
      AND EXISTS (SELECT FROM viewers v WHERE v.person_id = p.id AND v.level >= 10)
  ) SELECT id FROM file`;

/** $4 is the version to restore. */
export const documentToRestoreSql = `SELECT a.level, d.name, d.content, c.id AS current_id, c.version_number AS current_version,
    c.inserted_at AS current_at, json_build_object('id', e.id, 'full_name', e.full_name) AS current_editor,
    s.title AS source_title, s.content AS source_content
  FROM resource_hub_documents d
  JOIN resource_hub_access a ON a.company_id = $1 AND a.resource_hub_id = d.resource_hub_id AND a.person_id = $2
  LEFT JOIN document_versions c ON c.company_id = $1 AND c.document_id = d.id AND c.version_number = d.current_version
  LEFT JOIN people e ON e.company_id = $1 AND e.id = c.editor_id
  LEFT JOIN document_versions s ON s.company_id = $1 AND s.document_id = d.id AND s.version_number = $4
  WHERE d.company_id = $1 AND d.id = $3 AND d.deleted_at IS NULL AND (d.state = 'published' OR d.author_id = $2)`;

/** $4 is the version to restore, $5 the one that must be current, $6 who is mentioned. */
export const restoreSql = `
  WITH source AS (
    SELECT title, content FROM document_versions WHERE company_id = $1 AND document_id = $3 AND version_number = $4
  ), document AS (
    UPDATE resource_hub_documents d
    SET name = source.title, content = source.content, current_version = d.current_version + 1, updated_at = now()
    FROM source WHERE d.company_id = $1 AND d.id = $3 AND d.current_version = $5 AND d.deleted_at IS NULL
      AND EXISTS (SELECT FROM resource_hub_access a WHERE a.company_id = $1 AND a.resource_hub_id = d.resource_hub_id
        AND a.person_id = $2 AND a.level >= 70)
    RETURNING d.id, d.name, d.content, d.current_version
  ), version AS (
    INSERT INTO document_versions (company_id, document_id, version_number, previous_version_number, title, content,
      editor_id, origin, restored_from_version_number)
    SELECT $1, id, current_version, current_version - 1, name, content, $2, 'restored', $4 FROM document
    RETURNING id, document_id, title
  ), mentioned AS (
    SELECT id FROM people WHERE company_id = $1 AND id = ANY($6::text[])
  ), list AS (
    INSERT INTO subscription_lists (company_id, document_id) SELECT $1, id FROM document WHERE EXISTS (SELECT FROM mentioned)
    ON CONFLICT (company_id, document_id) DO UPDATE SET document_id = excluded.document_id RETURNING id
  ), subscribed AS (
    INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type)
    SELECT $1, list.id, mentioned.id, 'mentioned' FROM list, mentioned
    ON CONFLICT (company_id, subscription_list_id, person_id) DO NOTHING
  ), activity AS (
    INSERT INTO activities (company_id, action, author_id, document_id, document_version_id, name)
    SELECT $1, 'document_version_restored', $2, document_id, id, title FROM version
  ) SELECT id FROM version`;
