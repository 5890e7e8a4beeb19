-- A receipt is there until it is used: then its outcome is. No release had these columns.
ALTER TABLE receipts DROP COLUMN used_at, DROP COLUMN purge_at;
