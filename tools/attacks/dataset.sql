-- Two companies. The attacked one has one person and one goal, the other 40,000 goals, a space of 3,000 people, long
-- texts, deep folders, deleted files, and goals to reopen. Without triggers, which would slow the inserts down.
SET session_replication_role = replica;

INSERT INTO companies (id, name) VALUES ('large', 'Large'), ('other', 'Other');
INSERT INTO people (id, company_id, full_name, is_owner) VALUES
  ('greedy', 'large', 'Greedy', true), ('author', 'large', 'Author', false), ('victim', 'other', 'Victim', true);
INSERT INTO people (id, company_id, full_name, title, email)
SELECT 'p' || n, 'large', 'Person ' || n, 'Engineer ' || md5(n::text), 'person' || n || '@example.com' FROM generate_series(1, 3000) n;
INSERT INTO spaces (id, company_id, name) SELECT 's' || n, 'large', 'Space ' || n FROM generate_series(1, 200) n;
INSERT INTO spaces (id, company_id, name) VALUES ('wide', 'large', 'Everybody'), ('own', 'other', 'Own');
INSERT INTO space_members (company_id, space_id, person_id)
SELECT 'large', 'wide', 'p' || n FROM generate_series(1, 3000) n;
INSERT INTO space_members (company_id, space_id, person_id)
SELECT 'large', 's' || n, 'p' || (n * 7 + k) FROM generate_series(1, 200) n, generate_series(1, 10) k;

INSERT INTO goals (id, company_id, space_id, name, company_level, space_level, description, champion_id, reviewer_id, inserted_at)
SELECT 'g' || n, 'large', 's' || (1 + n % 200), 'Goal ' || md5(n::text), 70, 100, repeat('a description ', 20), 'p' || (1 + n % 1000),
  'p' || (1 + n % 999), timestamptz '2020-01-01' + n * interval '1 minute'
FROM generate_series(1, 40000) n;
INSERT INTO goals (id, company_id, space_id, name, company_level, space_level, closed_at, success)
SELECT 'wide' || n, 'large', 'wide', 'Closed ' || n, 70, 100, timestamptz '2026-01-01', true FROM generate_series(1, 2000) n;
INSERT INTO goals (id, company_id, space_id, name, company_level, space_level) VALUES ('own', 'other', 'own', 'Own', 70, 100);
INSERT INTO targets (company_id, goal_id, index, name, "from", "to", value)
SELECT 'large', 'g' || (1 + n % 4000), n, 'Target ' || n, 0, 10, 5 FROM generate_series(1, 20000) n;
INSERT INTO goal_checks (company_id, goal_id, index, name, completed)
SELECT 'large', 'g' || (1 + n % 4000), n, 'Check ' || n, false FROM generate_series(1, 20000) n;
INSERT INTO goal_progress_updates (id, company_id, goal_id, author_id, status, message)
SELECT 'u' || n, 'large', 'g' || n, 'author', 'on_track', repeat('a message ', 20) FROM generate_series(1, 4000) n;

INSERT INTO resource_hubs (id, company_id, space_id, name) VALUES ('hub', 'large', 'wide', 'The hub');
INSERT INTO resource_hubs (id, company_id, goal_id, name)
SELECT 'h' || n, 'large', 'g' || n, 'Hub ' || md5(n::text) FROM generate_series(1, 10000) n;
INSERT INTO resource_hub_folders (company_id, id, resource_hub_id, parent_folder_id, name)
SELECT 'large', 'f' || n, 'hub', CASE WHEN n > 1 THEN 'f' || (n - 1) END, 'Folder ' || n FROM generate_series(1, 100) n;
INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, parent_folder_id, name, content, author_id, state, current_version, published_at)
SELECT 'large', 'd' || n, 'hub', 'f100', 'Document ' || n, repeat('a line of text ' || E'\n', 50), 'author', 'published', 1, now()
FROM generate_series(1, 10000) n;
INSERT INTO document_versions (company_id, id, document_id, version_number, title, content, editor_id, origin)
SELECT 'large', 'v' || n, 'd' || n, 1, 'Document ' || n, repeat('a line of text ' || E'\n', 50), 'author', 'published'
FROM generate_series(1, 10000) n;

-- A long document with 60 versions that differ in every tenth line.
CREATE TEMPORARY TABLE long_texts AS
SELECT v, string_agg(md5((CASE WHEN line % 10 = v % 10 THEN v ELSE 0 END + line)::text), E'\n' ORDER BY line) AS content
FROM generate_series(1, 60) v, generate_series(1, 30000) line GROUP BY v;
INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, parent_folder_id, name, content, author_id, state, current_version, published_at)
SELECT 'large', 'long', 'hub', 'f100', 'Long', content, 'author', 'published', 60, now() FROM long_texts WHERE v = 60;
INSERT INTO document_versions (company_id, id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
SELECT 'large', 'long' || v, 'long', v, NULLIF(v - 1, 0), 'Long', content, 'author', CASE WHEN v = 1 THEN 'published' ELSE 'edited' END::version_origin
FROM long_texts;

-- A document whose nodes each have another key, with a mention, and a short one with two versions.
CREATE TEMPORARY TABLE texts AS
SELECT 'mentions' AS id, 1 AS v, '{"type":"doc","content":[' || string_agg('{"a' || n || '":1,"b":2}', ',') ||
  ',{"type":"mention","attrs":{"id":"p1"}}]}' AS content FROM generate_series(1, 170000) n
UNION ALL VALUES ('mentions', 2, 'plain'), ('short', 1, 'a few words'), ('short', 2, 'a few other words');
INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, parent_folder_id, name, content, author_id, state, current_version, published_at)
SELECT 'large', id, 'hub', 'f100', id, content, 'author', 'published', 2, now() FROM texts WHERE v = 2;
INSERT INTO document_versions (company_id, id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
SELECT 'large', id || v, id, v, NULLIF(v - 1, 0), id, content, 'author', CASE WHEN v = 1 THEN 'published' ELSE 'edited' END::version_origin
FROM texts;

INSERT INTO blobs (company_id, id, filename, size, content_type) SELECT 'large', 'b' || n, 'x', 1, 'text/plain' FROM generate_series(1, 20000) n;
INSERT INTO resource_hub_files (company_id, id, resource_hub_id, parent_folder_id, name, author_id, blob_id, deleted_at, deleted_by_id)
SELECT 'large', 'i' || n, 'hub', 'f100', 'File ' || n, 'author', 'b' || n, CASE WHEN n % 2 = 0 THEN now() END, CASE WHEN n % 2 = 0 THEN 'greedy' END
FROM generate_series(1, 20000) n;
INSERT INTO reactions (company_id, person_id, document_id, emoji)
SELECT 'large', 'p' || n, CASE WHEN n % 2 = 0 THEN 'long' ELSE 'd1' END, 'thumbs' FROM generate_series(1, 3000) n;

INSERT INTO activities (company_id, id, action, author_id, goal_id, name, inserted_at)
SELECT 'large', 'a' || n, 'goal_reopened', 'author', 'g1', 'Goal', timestamptz '2026-01-01' + n * interval '1 minute' FROM generate_series(1, 20000) n;
INSERT INTO notifications (company_id, id, person_id, activity_id, inserted_at)
SELECT 'large', 'n' || n, 'greedy', 'a' || n, timestamptz '2026-01-01' + n * interval '1 minute' FROM generate_series(1, 300) n;

SET session_replication_role = origin;
ANALYZE;
