-- The activity that had made the outcome which this one replaced: undoing this one gives the record back to that one.
ALTER TABLE activities ADD COLUMN previous_outcome_id text;
