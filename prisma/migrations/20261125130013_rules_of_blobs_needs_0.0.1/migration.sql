-- What an import refuses of a row, the table refuses too. No gateway has ever written it.
DO $$
BEGIN
  ALTER TABLE blobs ADD CONSTRAINT blobs_filename
    CHECK (filename <> '') NOT VALID;
  ALTER TABLE blobs ADD CONSTRAINT blobs_content_type
    CHECK (content_type <> '') NOT VALID;
  ALTER TABLE blobs ADD CONSTRAINT blobs_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z') NOT VALID;
END
$$;
