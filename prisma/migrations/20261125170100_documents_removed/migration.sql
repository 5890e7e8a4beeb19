-- When an import removed it: hidden from everybody. Its history stays.
DO $$ BEGIN
  ALTER TABLE resource_hub_documents ADD COLUMN removed_at timestamptz(3);
  ALTER TABLE resource_hub_documents ADD CONSTRAINT resource_hub_documents_removed_times
    CHECK (removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
END $$;
