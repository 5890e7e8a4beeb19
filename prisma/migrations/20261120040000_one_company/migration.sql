-- Rows below goals, files and documents name people too: never one of another company. Composite foreign keys keep this
-- where a table has a company; here one set-based check for each statement does, however many rows it writes.

CREATE VIEW activity_companies AS
  SELECT a.id AS activity_id, coalesce(g.company_id, fh.company_id, dh.company_id) AS company_id
  FROM activities a
  LEFT JOIN goals g ON g.id = a.goal_id
  LEFT JOIN resource_hub_files f ON f.id = a.file_id LEFT JOIN resource_hubs fh ON fh.id = f.resource_hub_id
  LEFT JOIN resource_hub_documents d ON d.id = a.document_id LEFT JOIN resource_hubs dh ON dh.id = d.resource_hub_id;

-- Arguments: the column that names a person, and the company of a row "w" as a scalar query.
CREATE FUNCTION refuse_other_company() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  other boolean;
BEGIN
  EXECUTE format(
    'SELECT EXISTS (SELECT FROM written w JOIN people p ON p.id = w.%I WHERE p.company_id <> (%s))',
    TG_ARGV[0], TG_ARGV[1]
  ) INTO other;
  IF other THEN
    RAISE EXCEPTION 'a person of another company in %.%', TG_TABLE_NAME, TG_ARGV[0]
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_' || TG_ARGV[0] || '_company';
  END IF;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  hub constant text := 'SELECT h.company_id FROM resource_hubs h WHERE h.id = w.resource_hub_id';
  goal constant text := 'SELECT g.company_id FROM goals g WHERE g.id = w.goal_id';
  of_document constant text :=
    'SELECT h.company_id FROM resource_hub_documents d JOIN resource_hubs h ON h.id = d.resource_hub_id WHERE d.id = w.document_id';
  of_file constant text :=
    'SELECT h.company_id FROM resource_hub_files f JOIN resource_hubs h ON h.id = f.resource_hub_id WHERE f.id = w.file_id';
  of_update constant text :=
    'SELECT g.company_id FROM goal_progress_updates u JOIN goals g ON g.id = u.goal_id WHERE u.id = w.progress_update_id';
  of_retrospective constant text :=
    'SELECT g.company_id FROM goal_retrospectives r JOIN goals g ON g.id = r.goal_id WHERE r.id = w.retrospective_id';
  of_thread constant text :=
    'SELECT a.company_id FROM comment_threads t JOIN activity_companies a ON a.activity_id = t.activity_id WHERE t.id = w.thread_id';
  of_activity constant text := 'SELECT a.company_id FROM activity_companies a WHERE a.activity_id = w.activity_id';
  -- Whoever comments or subscribes is of the company already checked, so a list and a comment lend theirs.
  of_comment constant text := 'SELECT p.company_id FROM comments c JOIN people p ON p.id = c.author_id WHERE c.id = w.comment_id';
  of_list constant text := format(
    'SELECT coalesce((%s), (%s), (%s)) FROM subscription_lists l WHERE l.id = w.subscription_list_id',
    replace(of_thread, 'w.', 'l.'), replace(of_file, 'w.', 'l.'), replace(of_document, 'w.', 'l.'));
  rule record;
BEGIN
  FOR rule IN SELECT * FROM (VALUES
    ('resource_hub_files', 'author_id', hub),
    ('resource_hub_files', 'deleted_by_id', hub),
    ('resource_hub_documents', 'author_id', hub),
    ('document_versions', 'editor_id', of_document),
    ('goal_progress_updates', 'author_id', goal),
    ('goal_progress_updates', 'acknowledged_by_id', goal),
    ('goal_retrospectives', 'author_id', goal),
    ('activities', 'author_id', 'SELECT a.company_id FROM activity_companies a WHERE a.activity_id = w.id'),
    ('comments', 'author_id', format('SELECT coalesce((%s), (%s), (%s), (%s), (%s))', of_thread, of_update, of_retrospective, of_file, of_document)),
    ('reactions', 'person_id', format('SELECT coalesce((%s), (%s), (%s), (%s))', of_comment, of_update, of_file, of_document)),
    ('subscriptions', 'person_id', of_list),
    ('notifications', 'person_id', of_activity)
  ) AS rules(table_name, column_name, company)
  LOOP
    EXECUTE format(
      'CREATE TRIGGER %1$I AFTER INSERT ON %3$I REFERENCING NEW TABLE AS written
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_company(%4$L, %5$L);
       CREATE TRIGGER %2$I AFTER UPDATE ON %3$I REFERENCING NEW TABLE AS written
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_other_company(%4$L, %5$L)',
      rule.table_name || '_' || rule.column_name || '_company_insert',
      rule.table_name || '_' || rule.column_name || '_company_update',
      rule.table_name, rule.column_name, rule.company);
  END LOOP;
END
$$;

-- A restore names a version of the document it is about.
CREATE FUNCTION require_own_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM document_versions v WHERE v.id = NEW.document_version_id AND v.document_id = NEW.document_id) THEN
    RAISE EXCEPTION 'version % is not of document %', NEW.document_version_id, NEW.document_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'activities_own_version';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER activities_own_version
  AFTER INSERT OR UPDATE ON activities DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.document_version_id IS NOT NULL) EXECUTE FUNCTION require_own_version();
