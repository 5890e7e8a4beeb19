ALTER TABLE idempotency_keys ADD COLUMN color text;
