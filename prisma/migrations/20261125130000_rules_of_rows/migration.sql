-- What triggers of the next migrations run. Gateways say when a row was changed where it matters; other writers, who may not
-- write outcomes of requests, need not.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT has_table_privilege('idempotency_keys', 'INSERT') THEN
    NEW.updated_at := now();
  END IF;
  RETURN NEW;
END
$$;

-- The name that the record has now, unless the writer gives it. An id of nothing is left to the foreign key.
CREATE FUNCTION name_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.goal_id IS NOT NULL THEN
    SELECT name INTO NEW.name FROM goals WHERE company_id = NEW.company_id AND id = NEW.goal_id;
  ELSIF NEW.file_id IS NOT NULL THEN
    SELECT name INTO NEW.name FROM resource_hub_files WHERE company_id = NEW.company_id AND id = NEW.file_id;
  ELSE
    SELECT name INTO NEW.name FROM resource_hub_documents WHERE company_id = NEW.company_id AND id = NEW.document_id;
  END IF;
  NEW.name := coalesce(NEW.name, 'unknown');
  RETURN NEW;
END
$$;

CREATE FUNCTION number_previous_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.previous_version_number := NEW.version_number - 1;
  RETURN NEW;
END
$$;

-- No goal is part of itself: as for folders.
CREATE FUNCTION refuse_goal_cycle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM pg_advisory_xact_lock(hashtext('goals'), hashtext(NEW.company_id));
  END IF;
  IF EXISTS (SELECT FROM goals WHERE company_id = NEW.company_id AND parent_goal_id = NEW.id) AND EXISTS (
    WITH RECURSIVE ancestors AS (
      SELECT NEW.parent_goal_id AS id
      UNION
      SELECT g.parent_goal_id FROM ancestors a CROSS JOIN LATERAL (
        SELECT parent_goal_id FROM goals WHERE company_id = NEW.company_id AND id = a.id OFFSET 0
      ) g
    )
    SELECT FROM ancestors WHERE id = NEW.id
  ) THEN
    RAISE EXCEPTION 'goal % would be part of itself', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'goals_no_cycle';
  END IF;
  RETURN NULL;
END
$$;

-- A published document has the name and content of its current version. It changes by a new one.
CREATE FUNCTION require_text_of_version(company text, document text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM resource_hub_documents d
    JOIN document_versions v ON v.company_id = company AND v.document_id = d.id AND v.version_number = d.current_version
    WHERE d.company_id = company AND d.id = document AND (d.name <> v.title OR d.content <> v.content)
  ) THEN
    RAISE EXCEPTION 'document % has another name or content than its current version: add a version', document
      USING ERRCODE = 'check_violation', CONSTRAINT = 'resource_hub_documents_as_current_version';
  END IF;
END
$$;
CREATE FUNCTION require_version_of_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.name <> OLD.name OR NEW.content <> OLD.content THEN
    PERFORM require_text_of_version(NEW.company_id, NEW.id);
  END IF;
  RETURN NULL;
END
$$;
CREATE OR REPLACE FUNCTION require_latest_version_of_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM require_latest_version(NEW.company_id, NEW.id);
  PERFORM require_text_of_version(NEW.company_id, NEW.id);
  RETURN NULL;
END
$$;
