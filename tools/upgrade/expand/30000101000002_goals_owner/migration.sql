ALTER TABLE goals ADD CONSTRAINT goals_owner_fkey
  FOREIGN KEY (company_id, owner_id) REFERENCES people (company_id, id) NOT VALID;
