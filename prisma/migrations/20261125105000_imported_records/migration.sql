-- Records that an import has found as they are in its file.
CREATE TABLE imported_records (
  company_id text NOT NULL,
  table_name text NOT NULL,
  id text NOT NULL,
  digest text NOT NULL,
  mark bigint NOT NULL,
  rows jsonb NOT NULL,
  CONSTRAINT imported_records_pkey PRIMARY KEY (company_id, table_name, id),
  CONSTRAINT imported_records_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT
);
