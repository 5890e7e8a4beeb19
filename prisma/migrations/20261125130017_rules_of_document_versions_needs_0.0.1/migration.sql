-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $$
BEGIN
  ALTER TABLE document_versions ADD CONSTRAINT document_versions_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;

  CREATE TRIGGER document_versions_previous
    BEFORE INSERT ON document_versions FOR EACH ROW WHEN (NEW.previous_version_number IS NULL AND NEW.version_number > 1)
    EXECUTE FUNCTION number_previous_version();
END
$$;
