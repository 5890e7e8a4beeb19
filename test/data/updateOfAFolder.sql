BEGIN;

SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

SET LOCAL lock_timeout = '60s';

DO $$ BEGIN
      CREATE TEMP TABLE import_removed (tbl text, id text) ON COMMIT DROP;
      CREATE TEMP TABLE import_doomed (tbl text, id text) ON COMMIT DROP;
    END $$;

CREATE TEMP TABLE staged_resource_hub_folders ON COMMIT DROP AS
      SELECT t.*, 0::bigint AS n, ''::text AS path, ''::text AS made, NULL::text[] AS given, false AS frozen,
        false AS generated, NULL::boolean AS differs  FROM resource_hub_folders t WITH NO DATA;

INSERT INTO staged_resource_hub_folders ("id", "resource_hub_id", "parent_folder_id", "name", "description", "inserted_at", "updated_at", "n", "path", "made", "given", "frozen", "generated") SELECT "id", "resource_hub_id", "parent_folder_id", "name", "description", "inserted_at", "updated_at", "n", "path", "made", "given", "frozen", "generated" FROM json_populate_recordset(NULL::staged_resource_hub_folders, $1::json);

CREATE TEMP TABLE staged_companies ON COMMIT DROP AS
      SELECT t.*, 0::bigint AS n, ''::text AS path, ''::text AS made, NULL::text[] AS given, false AS frozen,
        false AS generated, NULL::boolean AS differs  FROM companies t WITH NO DATA;

INSERT INTO staged_companies ("id", "name", "inserted_at", "last_sequence", "n", "path", "made", "given", "frozen", "generated") SELECT "id", "name", "inserted_at", "last_sequence", "n", "path", "made", "given", "frozen", "generated" FROM json_populate_recordset(NULL::staged_companies, $1::json);

CREATE INDEX ON staged_resource_hub_folders ("id");

ANALYZE staged_resource_hub_folders;

CREATE INDEX ON staged_companies ("id");

ANALYZE staged_companies;

SELECT i.revision::float8 AS revision, i.digest
    FROM companies c LEFT JOIN imports i ON i.company_id = c.id WHERE c.id = $1;

SELECT s.path, s."id" AS value, o.path AS other FROM staged_resource_hub_folders s
      JOIN (SELECT s."id" AS value, min(n) AS n FROM staged_resource_hub_folders s GROUP BY 1 HAVING count(*) > 1) first
        ON first.value = s."id" AND first.n < s.n
      JOIN staged_resource_hub_folders o ON o.n = first.n
      ORDER BY s.n LIMIT $1::integer;

SELECT s.path, s."id" AS value, o.path AS other FROM staged_companies s
      JOIN (SELECT s."id" AS value, min(n) AS n FROM staged_companies s GROUP BY 1 HAVING count(*) > 1) first
        ON first.value = s."id" AND first.n < s.n
      JOIN staged_companies o ON o.n = first.n
      ORDER BY s.n LIMIT $1::integer;

SELECT * FROM (
      SELECT d.n, d.path, $1 AS field, d."resource_hub_id" AS value, $2 AS tbl FROM staged_resource_hub_folders d
      WHERE d."resource_hub_id" IS NOT NULL AND NOT FALSE AND NOT EXISTS (SELECT FROM resource_hubs t WHERE t.company_id = $3 AND t.id = d."resource_hub_id" AND t.removed_at IS NULL AND NOT EXISTS (SELECT FROM import_removed r WHERE r.tbl = $4 AND r.id = t.id) OFFSET 0) UNION ALL
      SELECT d.n, d.path, $5 AS field, d."parent_folder_id" AS value, $6 AS tbl FROM staged_resource_hub_folders d
      WHERE d."parent_folder_id" IS NOT NULL AND NOT EXISTS (SELECT FROM staged_resource_hub_folders s WHERE s.id = d."parent_folder_id") AND NOT EXISTS (SELECT FROM resource_hub_folders t WHERE t.company_id = $7 AND t.id = d."parent_folder_id"  AND NOT EXISTS (SELECT FROM import_removed r WHERE r.tbl = $8 AND r.id = t.id) OFFSET 0)) d ORDER BY n, field LIMIT $9::integer;

CREATE TEMP TABLE import_tree_resource_hub_folders ON COMMIT DROP AS WITH RECURSIVE up (id, parent) AS (
        SELECT id, "parent_folder_id" FROM staged_resource_hub_folders WHERE "parent_folder_id" IS NOT NULL UNION
      SELECT t.id, t."parent_folder_id" FROM up CROSS JOIN LATERAL (
  SELECT * FROM resource_hub_folders t WHERE t.company_id = $1 AND t.id = up.parent OFFSET 0
) t
      WHERE t."parent_folder_id" IS NOT NULL AND NOT EXISTS (SELECT FROM staged_resource_hub_folders s WHERE s.id = up.parent)
      ) SELECT id, parent, NULL::integer AS depth FROM up;

CREATE INDEX ON import_tree_resource_hub_folders (id);

CREATE INDEX ON import_tree_resource_hub_folders (parent);

ANALYZE import_tree_resource_hub_folders;

WITH RECURSIVE down (id, depth) AS (
        SELECT id, 1 FROM import_tree_resource_hub_folders t WHERE NOT EXISTS (SELECT FROM import_tree_resource_hub_folders p WHERE p.id = t.parent)
        UNION ALL SELECT t.id, down.depth + 1 FROM down JOIN import_tree_resource_hub_folders t ON t.parent = down.id
      ) UPDATE import_tree_resource_hub_folders t SET depth = down.depth FROM down WHERE down.id = t.id;

SELECT t.id, t.parent, coalesce(s.path, '') AS path FROM import_tree_resource_hub_folders t LEFT JOIN staged_resource_hub_folders s ON s.id = t.id
      WHERE t.depth IS NULL ORDER BY s.n NULLS LAST LIMIT $1::integer;

SELECT * FROM (
        SELECT s.n, s.path, s.parent_folder_id AS value, s.resource_hub_id AS own, coalesce(
      (SELECT f.resource_hub_id FROM staged_resource_hub_folders f WHERE f.id = s.parent_folder_id LIMIT 1),
      (SELECT f.resource_hub_id FROM resource_hub_folders f WHERE f.company_id = $1 AND f.id = s.parent_folder_id)) AS other
        FROM staged_resource_hub_folders s WHERE s.parent_folder_id IS NOT NULL
      ) m WHERE own <> other ORDER BY n LIMIT $2::integer;

SELECT s.path, s.id FROM staged_resource_hub_folders s
      WHERE EXISTS (SELECT FROM removed_folders t WHERE t.company_id = $1 AND t.id = s.id OFFSET 0) ORDER BY s.n LIMIT $2::integer;

SELECT pg_advisory_xact_lock(hashtext('goalpost import'), hashtext($1))::text AS held;

SELECT i.revision::float8 AS revision, i.digest
    FROM companies c LEFT JOIN imports i ON i.company_id = c.id WHERE c.id = $1;

WITH named AS MATERIALIZED (SELECT r.id, '' AS path, 0::bigint AS n FROM import_removed r WHERE r.tbl = $1), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM activities a
          WHERE a.company_id = $2 AND a.origin = 'api' AND a.sequence > $3::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = $4::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM named JOIN (
          SELECT * FROM activities WHERE company_id = $5 AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.goal_id = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) $6 AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT $7::integer;

WITH named AS MATERIALIZED (SELECT r.id, '' AS path, 0::bigint AS n FROM import_removed r WHERE r.tbl = $1), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM activities a
          WHERE a.company_id = $2 AND a.origin = 'api' AND a.sequence > $3::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = $4::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM named JOIN (
          SELECT * FROM activities WHERE company_id = $5 AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.file_id = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) $6 AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT $7::integer;

WITH named AS MATERIALIZED (SELECT r.id, '' AS path, 0::bigint AS n FROM import_removed r WHERE r.tbl = $1), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM activities a
          WHERE a.company_id = $2 AND a.origin = 'api' AND a.sequence > $3::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = $4::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM named JOIN (
          SELECT * FROM activities WHERE company_id = $5 AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.document_id = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) $6 AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT $7::integer;

UPDATE staged_companies s SET differs = (
        SELECT NOT s.frozen AND ((s."name") IS DISTINCT FROM (t."name") OR s."inserted_at" IS NOT NULL AND (s."inserted_at") IS DISTINCT FROM (t."inserted_at")) FROM companies t WHERE t.id = $1 AND s."id" = t."id");

UPDATE staged_resource_hub_folders s SET differs = (
        SELECT NOT s.frozen AND ((s."resource_hub_id", s."parent_folder_id", s."name", s."description") IS DISTINCT FROM (t."resource_hub_id", t."parent_folder_id", t."name", t."description") OR s."inserted_at" IS NOT NULL AND (s."inserted_at") IS DISTINCT FROM (t."inserted_at") OR s."updated_at" IS NOT NULL AND (s."updated_at") IS DISTINCT FROM (t."updated_at")) FROM resource_hub_folders t WHERE t.company_id = $1 AND s."id" = t."id");

INSERT INTO import_doomed SELECT $1, t.id FROM import_removed r CROSS JOIN LATERAL (
  SELECT * FROM resource_hub_folders t WHERE t.company_id = $2 AND t.id = r.id OFFSET 0
) t WHERE r.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM targets t WHERE t.company_id = $2 AND t."goal_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM goal_checks t WHERE t.company_id = $2 AND t."goal_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM goal_progress_updates t WHERE t.company_id = $2 AND t."goal_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM goal_retrospectives t WHERE t.company_id = $2 AND t."goal_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM access_grants t WHERE t.company_id = $2 AND t."space_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM access_grants t WHERE t.company_id = $2 AND t."goal_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM access_grants t WHERE t.company_id = $2 AND t."project_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM comments t WHERE t.company_id = $2 AND t."thread_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM comments t WHERE t.company_id = $2 AND t."progress_update_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM comments t WHERE t.company_id = $2 AND t."retrospective_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM comments t WHERE t.company_id = $2 AND t."file_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM comments t WHERE t.company_id = $2 AND t."document_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM reactions t WHERE t.company_id = $2 AND t."comment_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM reactions t WHERE t.company_id = $2 AND t."progress_update_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM reactions t WHERE t.company_id = $2 AND t."file_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM reactions t WHERE t.company_id = $2 AND t."document_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.id FROM import_doomed d CROSS JOIN LATERAL (
  SELECT * FROM subscriptions t WHERE t.company_id = $2 AND t."subscription_list_id" = d.id OFFSET 0
) t WHERE d.tbl = $3;

INSERT INTO import_doomed SELECT $1, t.public_token
    FROM import_removed s CROSS JOIN LATERAL (
  SELECT * FROM resource_hub_documents t WHERE t.company_id = $2 AND t.id = s.id OFFSET 0
) t WHERE t.public_token IS NOT NULL AND s.tbl = 'resource_hub_documents';

ANALYZE import_doomed;

SELECT $1 AS "table", s.id, s.path, e.key AS field, e.value AS here, n.row -> e.key AS file
      FROM (SELECT * FROM staged_resource_hub_folders WHERE differs ORDER BY n LIMIT $2::integer) s
      CROSS JOIN LATERAL (
  SELECT * FROM resource_hub_folders t WHERE t.company_id = $3 AND t.id = s.id OFFSET 0
) t
      CROSS JOIN LATERAL (SELECT to_jsonb(x) AS row FROM (SELECT s."id", s."resource_hub_id", s."parent_folder_id", s."name", s."description", s."inserted_at", s."updated_at") x OFFSET 0) n
      CROSS JOIN LATERAL jsonb_each(to_jsonb(t)) e
      WHERE e.key <> ALL ($4::text[]) AND n.row ? e.key AND n.row -> e.key <> e.value
      ORDER BY s.n LIMIT $5::integer;

SELECT $1 AS tbl, count(*) FILTER (WHERE differs IS NULL)::integer AS added,
        count(*) FILTER (WHERE differs)::integer AS changed, count(*) FILTER (WHERE NOT differs)::integer AS unchanged
      FROM staged_resource_hub_folders UNION ALL
      SELECT $2 AS tbl, count(*) FILTER (WHERE differs IS NULL)::integer AS added,
        count(*) FILTER (WHERE differs)::integer AS changed, count(*) FILTER (WHERE NOT differs)::integer AS unchanged
      FROM staged_companies;

SELECT tbl, count(*)::integer AS count FROM (SELECT tbl, id FROM import_doomed UNION SELECT tbl, id FROM import_removed) d GROUP BY tbl;

WITH named AS MATERIALIZED (SELECT r.id, '' AS path, 0::bigint AS n FROM import_removed r WHERE r.tbl = $1), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM activities a
          WHERE a.company_id = $2 AND a.origin = 'api' AND a.sequence > $3::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = $4::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM named JOIN (
          SELECT * FROM activities WHERE company_id = $5 AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.goal_id = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) $6 AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT $7::integer;

WITH named AS MATERIALIZED (SELECT r.id, '' AS path, 0::bigint AS n FROM import_removed r WHERE r.tbl = $1), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM activities a
          WHERE a.company_id = $2 AND a.origin = 'api' AND a.sequence > $3::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = $4::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM named JOIN (
          SELECT * FROM activities WHERE company_id = $5 AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.file_id = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) $6 AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT $7::integer;

WITH named AS MATERIALIZED (SELECT r.id, '' AS path, 0::bigint AS n FROM import_removed r WHERE r.tbl = $1), later AS (
        SELECT named.*, e.* FROM named CROSS JOIN LATERAL (
          SELECT a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM activities a
          WHERE a.company_id = $2 AND a.origin = 'api' AND a.sequence > $3::bigint
            AND record_of(a.goal_id, a.file_id, a.document_id) = $4::text || ' ' || named.id
          ORDER BY a.sequence DESC LIMIT 1
        ) e
        UNION ALL
        SELECT named.*, a.sequence, a.action::text AS action, a.author_id AS "personId", a.inserted_at AS at FROM named JOIN (
          SELECT * FROM activities WHERE company_id = $5 AND origin = 'api' AND sequence IS NULL OFFSET 0
        ) a ON a.document_id = named.id
      )
      SELECT * FROM (
        SELECT DISTINCT ON (n, id) $6 AS "table", * FROM later ORDER BY n, id, sequence DESC NULLS FIRST, at DESC
      ) l ORDER BY n, id LIMIT $7::integer;

INSERT INTO companies ("id", "name", "inserted_at", "last_sequence")
    SELECT s."id",s."name",coalesce(s.inserted_at, now()),s."last_sequence" FROM staged_companies s WHERE s.differs IS NULL AND TRUE
    ORDER BY s.n;

SELECT count(*)::integer AS counted FROM staged_companies s WHERE s.differs IS NULL AND TRUE;

UPDATE companies t SET "name" = s."name", inserted_at = coalesce(s.inserted_at, t.inserted_at) FROM staged_companies s
    WHERE s.differs AND t.id = $1 AND s."id" = t."id";

SELECT count(*)::integer AS counted FROM staged_companies s WHERE s.differs;

SELECT coalesce(max(depth), 0) AS depth FROM import_tree_resource_hub_folders;

INSERT INTO resource_hub_folders (company_id, "id", "resource_hub_id", "parent_folder_id", "name", "description", "inserted_at", "updated_at")
    SELECT $1, s."id",s."resource_hub_id",s."parent_folder_id",s."name",s."description",coalesce(s.inserted_at, now()),coalesce(s.updated_at, s.inserted_at, now()) FROM staged_resource_hub_folders s WHERE s.differs IS NULL AND TRUE
    ORDER BY s.n;

SELECT count(*)::integer AS counted FROM staged_resource_hub_folders s WHERE s.differs IS NULL AND TRUE;

UPDATE resource_hub_folders t SET "resource_hub_id" = s."resource_hub_id", "parent_folder_id" = s."parent_folder_id", "name" = s."name", "description" = s."description", inserted_at = coalesce(s.inserted_at, t.inserted_at), updated_at = coalesce(s.updated_at, now()) FROM staged_resource_hub_folders s
    WHERE s.differs AND t.company_id = $1 AND s."id" = t."id";

SELECT count(*)::integer AS counted FROM staged_resource_hub_folders s WHERE s.differs;

SELECT DISTINCT tbl FROM import_doomed;

INSERT INTO imports (company_id, revision, digest) VALUES ($1, $2::bigint, $3)
    ON CONFLICT (company_id) DO UPDATE SET revision = coalesce(excluded.revision, imports.revision),
      digest = CASE WHEN excluded.revision IS NULL THEN imports.digest ELSE excluded.digest END,
      imported_at = excluded.imported_at, refused_at = NULL, refused_reason = NULL;

COMMIT;
