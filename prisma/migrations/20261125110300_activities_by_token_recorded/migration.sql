-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_by_token_recorded ON activities (company_id, token_id, recorded_at, id) WHERE token_id IS NOT NULL;
