ALTER TABLE goals VALIDATE CONSTRAINT goals_owner_fkey;
