-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE resource_hub_folders ADD CONSTRAINT resource_hub_folders_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0) NOT VALID;
  ALTER TABLE resource_hub_folders ADD CONSTRAINT resource_hub_folders_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ) NOT VALID;

  CREATE TRIGGER resource_hub_folders_updated_at
    BEFORE UPDATE ON resource_hub_folders FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
END
$$;
