-- The roles of a database of Goalpost: the owner migrates, the gateway reads and writes rows, the application writes those
-- of its own tables. Run it in that database as a superuser, or as the owner of the database (in PostgreSQL 14, and of its
-- schema public) if that role may create roles. It may run again, before or after a migration, and after a restore.
BEGIN;

-- Roles belong to the server: one that exists may be another installation's.
DO $roles$
DECLARE
  role record;
  settings text[];
BEGIN
  FOR role IN
    SELECT * FROM (VALUES (1, :'owner', :'owner_password'), (2, :'gateway', :'gateway_password'),
      (3, :'application', :'application_password')) named (place, name, password) WHERE name <> '' ORDER BY place
  LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role.name) THEN
      EXECUTE format('CREATE ROLE %I LOGIN PASSWORD %L', role.name, nullif(role.password, ''));
    ELSIF role.password <> '' AND :'replace_passwords' <> 'on' THEN
      RAISE EXCEPTION 'the role % exists on this server already, and its password stays', role.name USING ERRCODE = 'duplicate_object';
    ELSIF role.password <> '' THEN
      EXECUTE format('ALTER ROLE %I PASSWORD %L', role.name, role.password);
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), role.name);
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', role.name);
    -- What a connection behind a pooler cannot set for itself: no schema is before public, numbers keep their digits, no
    -- policy hides rows from us, and plans are those for small results.
    settings := ARRAY['search_path = public', 'extra_float_digits = 1'];
    IF role.place < 3 THEN
      settings := settings || ARRAY['row_security = off'];
    END IF;
    IF role.place = 2 THEN
      settings := settings || ARRAY['jit = off', 'max_parallel_workers_per_gather = 0'];
      IF :can_notice_gone_clients THEN
        settings := settings || ARRAY['client_connection_check_interval = ''2s'''];
      END IF;
    END IF;
    FOR n IN 1 .. cardinality(settings) LOOP
      EXECUTE format('ALTER ROLE %I IN DATABASE %I SET %s', role.name, current_database(), settings[n]);
    END LOOP;
  END LOOP;
  IF NOT pg_has_role(:'owner', 'USAGE') THEN
    EXECUTE format('GRANT %I TO CURRENT_USER', :'owner');
  END IF;
  EXECUTE format('GRANT CREATE ON DATABASE %I TO %I', current_database(), :'owner');
  -- Only the owner makes tables, and what hangs on them. PostgreSQL 14 lets every role do so, and only warns whoever cannot
  -- revoke that.
  REVOKE CREATE ON SCHEMA public FROM PUBLIC;
  EXECUTE format('GRANT CREATE ON SCHEMA public TO %I', :'owner');
  IF NOT has_schema_privilege(:'owner', 'public', 'CREATE') THEN
    RAISE EXCEPTION 'the owner could not make tables in the schema public' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF has_schema_privilege(:'gateway', 'public', 'CREATE') AND :'gateway' <> :'owner' THEN
    RAISE EXCEPTION 'the gateway could still make tables in the schema public: run this as the owner of that schema, or as a superuser';
  END IF;
END
$roles$;

-- What was restored from a dump, or migrated by another role, becomes the owner's.
DO $roles$
DECLARE
  former name := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = to_regclass('public._prisma_migrations'));
  object text;
BEGIN
  FOR object IN
    SELECT o.name FROM (
      SELECT 'TABLE ' || oid::regclass AS name, oid, relowner AS owner FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')
      UNION ALL SELECT 'ROUTINE ' || oid::regprocedure, oid, proowner FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT 'TYPE ' || oid::regtype, oid, typowner FROM pg_type
      WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
    ) o
    WHERE pg_get_userbyid(o.owner) = former AND former <> :'owner' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e')
  LOOP
    EXECUTE format('ALTER %s OWNER TO %I', object, :'owner');
  END LOOP;
END
$roles$;

-- The gateway reads and writes rows, in the tables of later migrations too.
DO $roles$
BEGIN
  EXECUTE format('SET LOCAL ROLE %I', :'owner');
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I', :'gateway');
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO %I', :'gateway');
  EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO %I', :'gateway');
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO %I', :'gateway');
END
$roles$;

-- ── Rights on tables: the owner runs this after each migration, too ──
DO $roles$
DECLARE
  rights_on record;
BEGIN
  FOR rights_on IN
    -- ── Rights ──
    WITH listed (role, tables, privileges, kept) AS (VALUES
      -- The gateway does everything with rows, except with these. What is only added to, nobody but the owner rewrites: of
      -- an activity, a gateway writes the number of its event.
      ('gateway', '_prisma_migrations', '', ''),
      ('gateway', 'confirmation_secrets', 'INSERT', ''),
      ('gateway', 'comment_threads document_versions', 'INSERT DELETE', ''),
      ('gateway', 'activities', 'INSERT UPDATE DELETE', ''),
      -- The application has nothing to do with other tables than these. It marks as deleted or removed what has history, and
      -- writes no column that gateways number or sign.
      ('application', 'people targets goal_checks access_grants resource_hub_folders', 'INSERT UPDATE DELETE', ''),
      ('application', 'space_members public_links reactions', 'INSERT DELETE', ''),
      ('application', 'spaces goal_progress_updates goal_retrospectives projects resource_hubs blobs comments', 'INSERT UPDATE', ''),
      ('application', 'subscription_lists subscriptions notifications', 'INSERT UPDATE', ''),
      ('application', 'companies', 'INSERT UPDATE', 'last_sequence'),
      ('application', 'goals resource_hub_files resource_hub_documents', 'INSERT UPDATE', 'outcome_activity_id'),
      ('application', 'document_versions comment_threads', 'INSERT', ''),
      ('application', 'activities', 'INSERT', 'recorded_at origin sequence token_id surface undoes_id previous_outcome_id'),
      ('application', 'space_access goal_access project_access resource_hub_access', '', '')
    ), structure AS (
      SELECT c.oid, c.relname::text AS name, c.relowner, r.role,
        ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
        CASE WHEN l.role IS NULL AND r.role = 'gateway' THEN 'INSERT UPDATE DELETE' ELSE l.privileges END AS privileges, l.kept
      FROM pg_class c CROSS JOIN (VALUES ('gateway'), ('application')) r (role)
      LEFT JOIN listed l ON l.role = r.role AND c.relname = ANY (string_to_array(l.tables, ' '))
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
        AND c.relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('public._prisma_migrations'))
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    ), rights AS (
      -- Without columns it is a right on the whole table: so all of them on a Citus, which knows no others.
      SELECT s.role, s.oid, s.name, p AS privilege, CASE
        WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN NULL
        WHEN s.role = 'gateway' AND s.name = 'activities' AND p = 'UPDATE' THEN ARRAY['sequence']
        WHEN s.role = 'application' AND (p = 'UPDATE' OR p = 'INSERT' AND s.kept <> '') THEN ARRAY(
          SELECT c FROM unnest(s.columns) c WHERE c <> ALL (string_to_array(s.kept, ' ')) AND NOT (p = 'UPDATE' AND EXISTS (
            SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = s.oid AND a.attnum = ANY (i.indkey)
            WHERE i.indrelid = s.oid AND i.indisprimary AND a.attname = c)))
        END AS columns
      FROM structure s CROSS JOIN unnest(string_to_array(trim('SELECT ' || s.privileges), ' ')) p
    )
    -- ── Grants ──
    SELECT s.oid::regclass AS name, CASE s.role WHEN 'gateway' THEN :'gateway' ELSE :'application' END AS role, (
      SELECT string_agg(privilege || coalesce(' (' || (SELECT string_agg(quote_ident(c), ', ') FROM unnest(r.columns) c) || ')', ''), ', ')
      FROM rights r WHERE r.oid = s.oid AND r.role = s.role) AS granted
    FROM structure s WHERE CASE s.role WHEN 'gateway' THEN :'gateway' ELSE :'application' END NOT IN ('', pg_get_userbyid(s.relowner))
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %I', rights_on.name, rights_on.role);
    IF rights_on.granted IS NOT NULL THEN
      EXECUTE format('GRANT %s ON %s TO %I', rights_on.granted, rights_on.name, rights_on.role);
    END IF;
  END LOOP;
END
$roles$;
-- ── End ──
COMMIT;
