-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE comments ADD CONSTRAINT comments_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND deleted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ) NOT VALID;

  CREATE TRIGGER comments_updated_at
    BEFORE UPDATE ON comments FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
END
$$;
