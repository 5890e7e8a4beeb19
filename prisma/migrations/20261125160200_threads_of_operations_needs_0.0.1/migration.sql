-- An operation says itself what was said with its activity, which is shown with its token: nobody else adds a thread to it.
SET LOCAL citus.enable_unsafe_triggers = on;
DO $migration$
BEGIN
  CREATE FUNCTION refuse_thread_of_operation() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT has_table_privilege('idempotency_keys', 'INSERT') AND EXISTS (
      SELECT FROM activities WHERE company_id = NEW.company_id AND id = NEW.activity_id AND origin = 'api'
    ) THEN
      RAISE EXCEPTION 'activity % is of an operation, which alone adds its thread', NEW.activity_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'comment_threads_of_operations';
    END IF;
    RETURN NULL;
  END
  $$;
  EXECUTE (
    SELECT format('ALTER FUNCTION %s.refuse_thread_of_operation() SET search_path = %s, pg_temp', schema, schema)
    FROM (SELECT relnamespace::regnamespace AS schema FROM pg_class WHERE oid = 'comment_threads'::regclass) found
  );
  CREATE CONSTRAINT TRIGGER comment_threads_of_operations
    AFTER INSERT ON comment_threads FOR EACH ROW EXECUTE FUNCTION refuse_thread_of_operation();
END
$migration$;
