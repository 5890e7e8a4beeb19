-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
ALTER TABLE comment_threads ADD CONSTRAINT comment_threads_times
  CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
