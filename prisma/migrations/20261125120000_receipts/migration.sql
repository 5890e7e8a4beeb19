-- Changes that agents have previewed.
CREATE TABLE receipts (
  company_id text NOT NULL,
  token_id text NOT NULL,
  hash bytea NOT NULL,
  operation text NOT NULL,
  input text NOT NULL,
  state text NOT NULL,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  purge_at timestamptz(3) NOT NULL,
  CONSTRAINT receipts_pkey PRIMARY KEY (company_id, token_id, hash),
  CONSTRAINT receipts_company_id_token_id_fkey
    FOREIGN KEY (company_id, token_id) REFERENCES api_tokens (company_id, id) ON DELETE CASCADE,
  CONSTRAINT receipts_hash CHECK (length(hash) = 32)
);
CREATE INDEX receipts_company_id_purge_at_idx ON receipts (company_id, purge_at);
-- The oldest of a token that are not used make room for new ones.
CREATE INDEX receipts_open_idx ON receipts (company_id, token_id, inserted_at) WHERE used_at IS NULL;
