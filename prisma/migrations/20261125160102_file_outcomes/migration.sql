-- The activity that made the present outcome of a file; null if somebody else has changed it since. It may have been purged.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE resource_hub_files ADD COLUMN outcome_activity_id text;

  CREATE TRIGGER resource_hub_files_outcome
    BEFORE UPDATE ON resource_hub_files FOR EACH ROW
    WHEN (NEW.outcome_activity_id = OLD.outcome_activity_id AND NEW.deleted_at IS DISTINCT FROM OLD.deleted_at)
    EXECUTE FUNCTION forget_outcome();
END
$$;
