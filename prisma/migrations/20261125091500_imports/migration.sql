-- The last import of each company.
CREATE TABLE imports (
  company_id text NOT NULL,
  revision bigint,
  digest bytea NOT NULL,
  kept integer NOT NULL DEFAULT 0,
  conflicts integer NOT NULL DEFAULT 0,
  imported_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT imports_pkey PRIMARY KEY (company_id),
  CONSTRAINT imports_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT,
  CONSTRAINT imports_counts CHECK (revision > 0 AND kept >= 0 AND conflicts >= 0)
);
