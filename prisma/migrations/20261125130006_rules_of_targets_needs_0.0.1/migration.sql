-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
DO $$
BEGIN
  ALTER TABLE targets ADD CONSTRAINT targets_name
    CHECK (name <> '') NOT VALID;
  ALTER TABLE targets ADD CONSTRAINT targets_index
    CHECK (index >= 0) NOT VALID;
  ALTER TABLE targets ADD CONSTRAINT targets_numbers
    CHECK (abs("from") < 'Infinity' AND abs("to") < 'Infinity' AND abs(value) < 'Infinity') NOT VALID;
END
$$;
