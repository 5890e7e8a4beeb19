-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
DO $$
BEGIN
  ALTER TABLE reactions ADD CONSTRAINT reactions_emoji
    CHECK (length(emoji) BETWEEN 1 AND 50) NOT VALID;
  ALTER TABLE reactions ADD CONSTRAINT reactions_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
END
$$;
