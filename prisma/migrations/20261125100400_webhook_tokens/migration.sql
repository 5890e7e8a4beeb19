-- The token that made a webhook.
DO $$
BEGIN
  ALTER TABLE webhooks ADD COLUMN token_id text;
  ALTER TABLE webhooks ADD CONSTRAINT webhooks_company_id_token_id_fkey
    FOREIGN KEY (company_id, token_id) REFERENCES api_tokens (company_id, id) ON DELETE RESTRICT NOT VALID;
END $$;
