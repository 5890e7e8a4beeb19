-- The ids of folders that an import has removed, so that none comes back.
CREATE TABLE removed_folders (
  company_id text NOT NULL,
  id text NOT NULL,
  removed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT removed_folders_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT removed_folders_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT
);
