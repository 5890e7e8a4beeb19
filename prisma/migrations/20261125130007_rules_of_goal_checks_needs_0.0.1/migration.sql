-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE goal_checks ADD CONSTRAINT goal_checks_name
    CHECK (name <> '') NOT VALID;
  ALTER TABLE goal_checks ADD CONSTRAINT goal_checks_index
    CHECK (index >= 0) NOT VALID;
  ALTER TABLE goal_checks ADD CONSTRAINT goal_checks_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ) NOT VALID;

  CREATE TRIGGER goal_checks_updated_at
    BEFORE UPDATE ON goal_checks FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
END
$$;
