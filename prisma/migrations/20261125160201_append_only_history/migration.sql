-- History is only added to, by every role but the owner of the tables: a gateway writes the number of an event, and a purge
-- removes what belongs to a file. goalpost roles does the same. Citus, which knows no privileges of columns, leaves the
-- numbers to whoever may change an activity.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT c.oid::regclass AS history, c.relname = 'activities' AS is_numbered,
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS role
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid IN ('activities'::regclass, 'comment_threads'::regclass, 'document_versions'::regclass)
      AND a.privilege_type = 'UPDATE' AND a.grantee <> c.relowner
      AND NOT (c.relname = 'activities' AND EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'))
  LOOP
    EXECUTE format('REVOKE UPDATE ON %s FROM %s', granted.history, granted.role);
    IF granted.is_numbered THEN
      EXECUTE format('GRANT UPDATE (sequence) ON %s TO %s', granted.history, granted.role);
    END IF;
  END LOOP;
END
$$;
