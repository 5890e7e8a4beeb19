-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
ALTER TABLE public_links ADD CONSTRAINT public_links_token
  CHECK (token ~ '^[A-Za-z0-9_-]{1,200}$') NOT VALID;
