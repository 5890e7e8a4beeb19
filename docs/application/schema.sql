-- An application's own tables, and what it needs to live with Goalpost: what it has to send, and what it has taken in.
-- Whoever has closed, deleted or written something is named by id: it may be somebody who has left since.
CREATE TABLE people (
  id text PRIMARY KEY, name text NOT NULL, email text, is_guest boolean NOT NULL DEFAULT false, left_at timestamptz(3));
-- Who has access: 0 none, 10 view, 40 comment, 70 edit, 100 full. What a goal does not say, it takes from its space.
CREATE TABLE spaces (
  id text PRIMARY KEY, name text NOT NULL,
  company_level integer NOT NULL DEFAULT 70, member_level integer NOT NULL DEFAULT 100);
CREATE TABLE space_members (
  space_id text REFERENCES spaces ON DELETE CASCADE, person_id text REFERENCES people ON DELETE CASCADE,
  PRIMARY KEY (space_id, person_id));
INSERT INTO spaces VALUES ('team', 'Team');
CREATE TABLE goals (
  id text PRIMARY KEY, name text NOT NULL, closed_at timestamptz(3), closed_by text, success boolean,
  space_id text NOT NULL DEFAULT 'team' REFERENCES spaces, company_level integer, member_level integer);
CREATE TABLE goal_access (
  goal_id text REFERENCES goals ON DELETE CASCADE, person_id text REFERENCES people ON DELETE CASCADE,
  level integer NOT NULL DEFAULT 70, PRIMARY KEY (goal_id, person_id));
CREATE TABLE folders (id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE files (
  id text PRIMARY KEY, name text NOT NULL, folder_id text REFERENCES folders, deleted_at timestamptz(3), deleted_by text);
CREATE TABLE documents (id text PRIMARY KEY, folder_id text REFERENCES folders);
CREATE TABLE versions (
  document_id text REFERENCES documents ON DELETE CASCADE, number integer, title text NOT NULL, content text NOT NULL,
  restored_from integer, editor text NOT NULL DEFAULT 'owner', written_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (document_id, number) DEFERRABLE);

-- The records that no acknowledged file has, each with the number of its last change.
CREATE SEQUENCE change_numbers;
CREATE TABLE changes (kind text, id text, number bigint DEFAULT nextval('change_numbers'), PRIMARY KEY (kind, id));
-- The number of the last file; the feed's cursor up to which every event was taken in, and the ids of all of them.
CREATE TABLE sent (revision bigint NOT NULL);
CREATE TABLE taken_in (cursor text);
CREATE TABLE events (id text PRIMARY KEY);
INSERT INTO sent VALUES (0);
INSERT INTO taken_in VALUES (NULL);

CREATE FUNCTION note_change(changed_kind text, changed_id text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO changes (kind, id) VALUES (changed_kind, changed_id)
  ON CONFLICT (kind, id) DO UPDATE SET number = nextval('change_numbers')
$$;

-- Each transaction that changes a record notes that it has, unless it takes in an event.
CREATE FUNCTION note_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('application.takes_in', true) IS DISTINCT FROM 'on' THEN
    PERFORM note_change(TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END ->> TG_ARGV[1]);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON people FOR EACH ROW EXECUTE FUNCTION note_row('person', 'id');
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON spaces FOR EACH ROW EXECUTE FUNCTION note_row('space', 'id');
-- A file says the levels of each goal, so with its space a goal changes that takes them from there.
CREATE FUNCTION note_goals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('goal', id) FROM goals
  WHERE space_id = NEW.id AND (company_level IS NULL OR member_level IS NULL);
  RETURN NULL;
END
$$;
CREATE TRIGGER note_goals AFTER UPDATE OF company_level, member_level ON spaces
  FOR EACH ROW EXECUTE FUNCTION note_goals();
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON space_members
  FOR EACH ROW EXECUTE FUNCTION note_row('space', 'space_id');
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON goals FOR EACH ROW EXECUTE FUNCTION note_row('goal', 'id');
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON goal_access
  FOR EACH ROW EXECUTE FUNCTION note_row('goal', 'goal_id');
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON folders FOR EACH ROW EXECUTE FUNCTION note_row('folder', 'id');
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION note_row('file', 'id');
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON documents
  FOR EACH ROW EXECUTE FUNCTION note_row('document', 'id');
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON versions
  FOR EACH ROW EXECUTE FUNCTION note_row('document', 'document_id');
