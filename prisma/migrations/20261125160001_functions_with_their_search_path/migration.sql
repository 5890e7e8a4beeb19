-- Two transactions that see nothing of each other's moves (REPEATABLE READ) made a cycle together. The second one now fails
-- with 40001: a folder above, as it sees it, was moved meanwhile. It waits for nobody: who has only just begun to change
-- such a folder asks for the advisory lock later, and finds what this one has done.
CREATE OR REPLACE FUNCTION refuse_folder_cycle() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  above text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM pg_advisory_xact_lock(hashtext('resource_hub_folders'), hashtext(NEW.company_id || ' ' || NEW.resource_hub_id));
  END IF;
  WITH RECURSIVE ancestors AS (
    SELECT NEW.parent_folder_id AS id
    UNION
    SELECT f.parent_folder_id FROM ancestors a CROSS JOIN LATERAL (
      SELECT parent_folder_id FROM resource_hub_folders WHERE company_id = NEW.company_id AND id = a.id OFFSET 0
    ) f
  )
  SELECT array_agg(id) INTO above FROM ancestors;
  IF NEW.id = ANY (above) THEN
    RAISE EXCEPTION 'folder % would be inside itself', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'resource_hub_folders_no_cycle';
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM FROM resource_hub_folders WHERE company_id = NEW.company_id AND id = ANY (above) FOR SHARE SKIP LOCKED;
  END IF;
  RETURN NULL;
END
$$;

-- The same. A goal that has no part yet, like most that are imported, is above nothing.
CREATE OR REPLACE FUNCTION refuse_goal_cycle() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  above text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM pg_advisory_xact_lock(hashtext('goals'), hashtext(NEW.company_id));
  END IF;
  IF (TG_OP = 'INSERT' OR current_setting('transaction_isolation') = 'read committed')
    AND NOT EXISTS (SELECT FROM goals WHERE company_id = NEW.company_id AND parent_goal_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  WITH RECURSIVE ancestors AS (
    SELECT NEW.parent_goal_id AS id
    UNION
    SELECT g.parent_goal_id FROM ancestors a CROSS JOIN LATERAL (
      SELECT parent_goal_id FROM goals WHERE company_id = NEW.company_id AND id = a.id OFFSET 0
    ) g
  )
  SELECT array_agg(id) INTO above FROM ancestors;
  IF NEW.id = ANY (above) THEN
    RAISE EXCEPTION 'goal % would be part of itself', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'goals_no_cycle';
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM FROM goals WHERE company_id = NEW.company_id AND id = ANY (above) FOR SHARE SKIP LOCKED;
  END IF;
  RETURN NULL;
END
$$;

-- Each function finds the tables of the schema that it is in, whatever the search_path of its caller: the temporary tables of
-- the caller come last.
DO $$
DECLARE
  name text;
  schema text := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'companies'::regclass);
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'record_activity()', 'name_activity()', 'note_change()', 'number_previous_version()', 'refuse_folder_cycle()',
    'refuse_goal_cycle()', 'release_deleted_files()', 'refuse_rewriting_history()', 'require_latest_version(text, text)',
    'require_latest_version_of_document()', 'require_version_to_be_latest()', 'require_text_of_version(text, text)',
    'require_version_of_text()'
  ] LOOP
    EXECUTE format('ALTER FUNCTION %s.%s SET search_path = %s, pg_temp', schema, name, schema);
  END LOOP;
END
$$;
