-- The activity that an activity undoes; null for all others.
DO $$
BEGIN
  ALTER TABLE activities ADD COLUMN undoes_id text;
  ALTER TABLE activities ADD CONSTRAINT activities_company_id_undoes_id_fkey
    FOREIGN KEY (company_id, undoes_id) REFERENCES activities (company_id, id) ON DELETE RESTRICT NOT VALID;
END $$;
