-- Whoever changes the outcome of a record without saying by which activity: the activity that made it before did not make
-- this one.
CREATE FUNCTION forget_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.outcome_activity_id := NULL;
  RETURN NEW;
END
$$;

-- An operation says when it was, so that all it writes has one time: it reads the clock when it holds the record.
CREATE OR REPLACE FUNCTION record_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.recorded_at := clock_timestamp();
  IF NEW.origin <> 'api' AND NEW.inserted_at = CURRENT_TIMESTAMP::timestamptz(3) THEN
    NEW.inserted_at := NEW.recorded_at;
  END IF;
  RETURN NEW;
END
$$;

DO $$
DECLARE
  name text;
  schema text := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'companies'::regclass);
BEGIN
  FOREACH name IN ARRAY ARRAY['forget_outcome()', 'record_activity()'] LOOP
    EXECUTE format('ALTER FUNCTION %s.%s SET search_path = %s, pg_temp', schema, name, schema);
  END LOOP;
END
$$;
