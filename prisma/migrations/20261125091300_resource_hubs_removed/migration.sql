-- When an import removed it: hidden from everybody, with what is in it. Its history stays.
ALTER TABLE resource_hubs ADD COLUMN removed_at timestamptz(3);
