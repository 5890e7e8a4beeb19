-- The activity that made the present outcome of a goal; null if somebody else has changed it since. It may have been purged.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE goals ADD COLUMN outcome_activity_id text;

  CREATE TRIGGER goals_outcome
    BEFORE UPDATE ON goals FOR EACH ROW
    WHEN (NEW.outcome_activity_id = OLD.outcome_activity_id AND (NEW.closed_at, NEW.success, NEW.closed_by_id) IS DISTINCT FROM (OLD.closed_at, OLD.success, OLD.closed_by_id))
    EXECUTE FUNCTION forget_outcome();
END
$$;
