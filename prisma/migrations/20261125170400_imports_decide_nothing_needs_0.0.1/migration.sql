-- An import takes all of its file or nothing, so none is in conflict.
DO $$ BEGIN
  ALTER TABLE imports DROP CONSTRAINT imports_counts;
  ALTER TABLE imports ADD CONSTRAINT imports_revision CHECK (revision > 0) NOT VALID;
  ALTER TABLE imports DROP COLUMN kept;
  ALTER TABLE imports DROP COLUMN conflicts;
END $$;
