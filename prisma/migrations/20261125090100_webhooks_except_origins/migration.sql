-- The origins whose events a webhook does not get.
DO $$
BEGIN
  ALTER TABLE webhooks ADD COLUMN except_origins event_origin[] DEFAULT ARRAY[]::event_origin[];
  ALTER TABLE webhooks ADD CONSTRAINT webhooks_except_origins CHECK (except_origins IS NOT NULL) NOT VALID;
END $$;
