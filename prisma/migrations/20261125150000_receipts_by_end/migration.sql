-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS receipts_company_id_expires_at_idx ON receipts (company_id, expires_at);
