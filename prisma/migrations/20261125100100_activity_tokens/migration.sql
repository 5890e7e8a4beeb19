-- The token that made an activity, and where it was used; null for what no token has made.
DO $$
BEGIN
  ALTER TABLE activities ADD COLUMN token_id text, ADD COLUMN surface text;
  ALTER TABLE activities ADD CONSTRAINT activities_surface CHECK (surface IN ('rest', 'graphql', 'mcp')) NOT VALID;
  ALTER TABLE activities ADD CONSTRAINT activities_company_id_token_id_fkey
    FOREIGN KEY (company_id, token_id) REFERENCES api_tokens (company_id, id) ON DELETE RESTRICT NOT VALID;
END $$;
