-- When an import removed it: hidden from everybody. Its history stays.
ALTER TABLE resource_hub_documents ADD COLUMN removed_at timestamptz(3);
