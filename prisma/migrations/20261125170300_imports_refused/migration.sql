-- The last file of a company, if it was refused: when and why. Nothing of it was written.
DO $$ BEGIN
  ALTER TABLE imports ADD COLUMN refused_at timestamptz(3);
  ALTER TABLE imports ADD COLUMN refused_reason text;
END $$;
