DO $$
BEGIN
  ALTER TABLE activities VALIDATE CONSTRAINT activities_surface;
  ALTER TABLE activities VALIDATE CONSTRAINT activities_company_id_token_id_fkey;
END $$;
