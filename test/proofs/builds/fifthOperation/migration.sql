SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TYPE activity_action ADD VALUE IF NOT EXISTS 'goal_archived';
  ALTER TYPE activity_action ADD VALUE IF NOT EXISTS 'goal_unarchived';
  CREATE OR REPLACE TRIGGER goals_outcome
    BEFORE UPDATE ON goals FOR EACH ROW
    WHEN (NEW.outcome_activity_id = OLD.outcome_activity_id AND (NEW.closed_at, NEW.success, NEW.closed_by_id, NEW.archived_at)
      IS DISTINCT FROM (OLD.closed_at, OLD.success, OLD.closed_by_id, OLD.archived_at))
    EXECUTE FUNCTION forget_outcome();
END
$$;
