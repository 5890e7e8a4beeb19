-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
ALTER TABLE goal_progress_updates ADD CONSTRAINT goal_progress_updates_times
  CHECK (
    acknowledged_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
  ) NOT VALID;
