-- The activity that made the present outcome of a document; null if somebody else has changed it since. It may have been purged.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE resource_hub_documents ADD COLUMN outcome_activity_id text;

  CREATE TRIGGER resource_hub_documents_outcome
    BEFORE UPDATE ON resource_hub_documents FOR EACH ROW
    WHEN (NEW.outcome_activity_id = OLD.outcome_activity_id AND NEW.current_version IS DISTINCT FROM OLD.current_version)
    EXECUTE FUNCTION forget_outcome();
END
$$;
