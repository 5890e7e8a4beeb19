-- When an import removed it: hidden from everybody, and not recovered any more. Its history stays until it is purged.
ALTER TABLE resource_hub_files ADD COLUMN removed_at timestamptz(3);
