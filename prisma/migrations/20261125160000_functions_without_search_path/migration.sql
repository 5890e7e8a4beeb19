-- What these name is looked up once, now, and not in the search_path of each caller, who may have temporary tables and types
-- of the same names. PostgreSQL puts a body of this kind into the statement that calls it, as before; with a search_path
-- of its own, it could not.
CREATE OR REPLACE FUNCTION new_id() RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(
  set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
    52, 1), 53, 1),
  'hex')::uuid::text;

CREATE OR REPLACE FUNCTION record_of(goal_id text, file_id text, document_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce('goal ' || goal_id, 'file ' || file_id, 'document ' || document_id);

CREATE OR REPLACE FUNCTION access_level(
  is_owner boolean, personal integer, is_member boolean, space_level integer, is_guest boolean, company_level integer
) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN is_owner THEN 100 ELSE
  greatest(0, personal, CASE WHEN is_member THEN space_level END, CASE WHEN NOT is_guest THEN company_level END)
END;

CREATE OR REPLACE FUNCTION goal_shelf(
  company_level integer, space_level integer, closed_at timestamptz, archived_at timestamptz
) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN company_level >= 10 THEN 8 ELSE 0 END + CASE WHEN space_level >= 10 THEN 4 ELSE 0 END
  + CASE WHEN closed_at IS NOT NULL THEN 2 ELSE 0 END + CASE WHEN archived_at IS NOT NULL THEN 1 ELSE 0 END;

CREATE OR REPLACE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower("left"(name, 200));
