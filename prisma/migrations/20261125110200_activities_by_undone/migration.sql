-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_by_undone ON activities (company_id, undoes_id) WHERE undoes_id IS NOT NULL;
