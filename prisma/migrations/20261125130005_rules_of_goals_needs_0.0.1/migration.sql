-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE goals ADD CONSTRAINT goals_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0) NOT VALID;
  ALTER TABLE goals ADD CONSTRAINT goals_times
    CHECK (
      next_update_scheduled_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND closed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND archived_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ) NOT VALID;
  ALTER TABLE goals ADD CONSTRAINT goals_dates
    CHECK (start_date BETWEEN '1000-01-01' AND '9999-12-31' AND end_date BETWEEN '1000-01-01' AND '9999-12-31') NOT VALID;
  ALTER TABLE goals ADD CONSTRAINT goals_date_values
    CHECK (start_date_value <> '' AND end_date_value <> '') NOT VALID;

  CREATE TRIGGER goals_updated_at
    BEFORE UPDATE ON goals FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();

  CREATE CONSTRAINT TRIGGER goals_no_cycle
    AFTER INSERT OR UPDATE OF parent_goal_id ON goals DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.parent_goal_id IS NOT NULL) EXECUTE FUNCTION refuse_goal_cycle();
END
$$;
