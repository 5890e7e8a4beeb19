-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE activities ADD CONSTRAINT activities_name
    CHECK (name <> '') NOT VALID;
  ALTER TABLE activities ADD CONSTRAINT activities_times
    CHECK (
      undone_closed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ) NOT VALID;

  CREATE TRIGGER activities_name
    BEFORE INSERT ON activities FOR EACH ROW WHEN (NEW.name IS NULL) EXECUTE FUNCTION name_activity();
END
$$;
