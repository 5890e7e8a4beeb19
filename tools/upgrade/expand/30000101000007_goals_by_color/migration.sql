-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS goals_by_color ON goals (company_id, color);
