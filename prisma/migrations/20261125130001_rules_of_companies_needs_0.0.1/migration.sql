-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
DO $$
BEGIN
  ALTER TABLE companies ADD CONSTRAINT companies_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0) NOT VALID;
  ALTER TABLE companies ADD CONSTRAINT companies_name
    CHECK (name <> '') NOT VALID;
  ALTER TABLE companies ADD CONSTRAINT companies_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
END
$$;
