-- A company with 100,000 goals, of which most people see few, 100,000 nodes in one hub, activities and notifications.
-- Without triggers, which would refuse nothing here and slow the inserts down.
SET session_replication_role = replica;

INSERT INTO companies (id, name) VALUES ('large', 'Large'), ('other', 'Other');
INSERT INTO people (id, company_id, full_name, type, is_owner) VALUES
  ('owner', 'large', 'Owner', 'human', true), ('insider', 'large', 'Insider', 'human', false),
  ('member', 'large', 'Member', 'human', false), ('guest', 'large', 'Guest', 'guest', false),
  ('guest-member', 'large', 'Guest member', 'guest', false), ('author', 'large', 'Author', 'human', false);
INSERT INTO people (id, company_id, full_name) SELECT 'p' || n, 'large', 'Person ' || n FROM generate_series(1, 1000) n;

INSERT INTO spaces (id, company_id, name, company_level, space_level)
SELECT 's' || n, 'large', 'Space ' || n, CASE WHEN n % 3 = 0 THEN 0 ELSE 70 END, CASE WHEN n % 7 = 0 THEN 0 ELSE 100 END
FROM generate_series(1, 2000) n;
INSERT INTO space_members (company_id, space_id, person_id)
SELECT 'large', 's' || n, person FROM generate_series(1, 2000) n, unnest(ARRAY['member', 'guest-member']) person
WHERE n IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89);
INSERT INTO space_members (company_id, space_id, person_id)
SELECT 'large', 's' || n, 'p' || (1 + (n * 7 + k) % 1000) FROM generate_series(1, 2000) n, generate_series(1, 10) k;

INSERT INTO goals (id, company_id, space_id, name, champion_id, reviewer_id, company_level, space_level, closed_at, success, archived_at, inserted_at, updated_at)
SELECT 'g' || lpad(n::text, 6, '0'), 'large', 's' || (1 + n % 2000),
  CASE WHEN n % 1000 = 7 THEN 'Revenue ' ELSE 'Goal ' END || md5(n::text), 'p' || (1 + n % 1000), 'p' || (1 + n % 999),
  CASE WHEN n % 4 = 0 THEN 70 ELSE 0 END, CASE WHEN n % 3 = 0 THEN 0 ELSE 100 END,
  CASE WHEN n % 5 = 0 THEN timestamptz '2026-01-01' END, CASE WHEN n % 5 = 0 THEN true END,
  CASE WHEN n % 50 = 0 THEN timestamptz '2026-02-01' END,
  timestamptz '2020-01-01' + n * interval '1 minute', timestamptz '2026-01-01' + (n * 7919 % 100000) * interval '1 minute'
FROM generate_series(1, 100000) n;
INSERT INTO access_grants (company_id, person_id, goal_id, level) VALUES
  ('large', 'guest', 'g000001', 10), ('large', 'guest', 'g099997', 40), ('large', 'guest', 'g050003', 0);
INSERT INTO access_grants (company_id, person_id, goal_id, level)
SELECT 'large', 'p' || (1 + n % 1000), 'g' || lpad((n * 13)::text, 6, '0'), 40 FROM generate_series(1, 5000) n;

INSERT INTO resource_hubs (id, company_id, goal_id, name)
SELECT 'h' || n, 'large', 'g' || lpad(n::text, 6, '0'), 'Hub ' || md5(n::text) FROM generate_series(1, 30000) n;
INSERT INTO resource_hubs (id, company_id, space_id, name) VALUES ('hub', 'large', 's1', 'The hub');

INSERT INTO resource_hub_folders (company_id, id, resource_hub_id, name)
SELECT 'large', 'f' || n, 'hub', 'Folder ' || md5(n::text) FROM generate_series(1, 20000) n;
INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, name, content, author_id, state, current_version, published_at)
SELECT 'large', 'd' || n, 'hub', 'Document ' || md5(n::text), '', 'author', 'published', 1, now() FROM generate_series(1, 20000) n;
INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, name, content, author_id)
SELECT 'large', 'e' || n, 'hub', 'Draft ' || md5(n::text), '', CASE WHEN n % 5000 = 0 THEN 'member' ELSE 'author' END FROM generate_series(1, 20000) n;
INSERT INTO blobs (company_id, id, filename, size, content_type) SELECT 'large', 'b' || n, 'x', 1, 'text/plain' FROM generate_series(1, 40000) n;
INSERT INTO resource_hub_files (company_id, id, resource_hub_id, name, author_id, blob_id, deleted_at)
SELECT 'large', 'i' || n, 'hub', 'File ' || md5(n::text), 'author', 'b' || n, CASE WHEN n % 2 = 0 THEN now() END FROM generate_series(1, 40000) n;

INSERT INTO activities (company_id, id, action, author_id, goal_id, name, inserted_at)
SELECT 'large', 'a' || n, 'goal_reopened', 'author', 'g000004', 'Goal', timestamptz '2026-01-01' + n * interval '1 minute' FROM generate_series(1, 100000) n;
INSERT INTO notifications (company_id, id, person_id, activity_id, read_at, inserted_at)
SELECT 'large', 'n' || n, 'member', 'a' || n, CASE WHEN n % 1000 > 0 THEN now() END, timestamptz '2026-01-01' + n * interval '1 minute' FROM generate_series(1, 100000) n;

SET session_replication_role = origin;
-- As autovacuum would do.
SELECT gin_clean_pending_list(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
WHERE c.relam = (SELECT oid FROM pg_am WHERE amname = 'gin');
ANALYZE;
