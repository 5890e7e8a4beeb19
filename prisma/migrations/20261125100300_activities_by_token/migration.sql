-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_by_token ON activities (company_id, token_id, inserted_at, id) WHERE token_id IS NOT NULL;
