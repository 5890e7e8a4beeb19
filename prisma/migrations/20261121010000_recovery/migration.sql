-- A deleted file can be recovered: an action for its history, and a place to return to when its folder is gone.

ALTER TYPE activity_action ADD VALUE 'resource_hub_file_recovered';

-- The actions as text: a new value of the enum cannot be used in the transaction that adds it.
ALTER TABLE activities
  DROP CONSTRAINT activities_subject_of_action,
  ADD CONSTRAINT activities_subject_of_action CHECK (CASE
    WHEN action::text LIKE 'goal\_%' THEN goal_id IS NOT NULL
    WHEN action::text LIKE 'resource\_hub\_file\_%' THEN file_id IS NOT NULL
    ELSE document_id IS NOT NULL END);

-- A deleted file does not hold its folder: once the folder goes, the file belongs to the hub's root.
CREATE FUNCTION release_deleted_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE resource_hub_files SET parent_folder_id = NULL
  WHERE resource_hub_id = OLD.resource_hub_id AND parent_folder_id = OLD.id AND deleted_at IS NOT NULL;
  RETURN OLD;
END
$$;
CREATE TRIGGER resource_hub_folders_release_deleted_files
  BEFORE DELETE ON resource_hub_folders FOR EACH ROW EXECUTE FUNCTION release_deleted_files();
