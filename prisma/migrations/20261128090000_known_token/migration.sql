-- Ends a message with a SQLSTATE of its own unless a token is still as a gateway has found it: what follows is not executed.
CREATE FUNCTION require_known_token(tokens bigint) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF tokens = 0 THEN
    RAISE EXCEPTION 'the token is not as it was found' USING ERRCODE = 'GP401';
  END IF;
  RETURN true;
END $$;

-- Citus needs it on the node of each company.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    PERFORM create_distributed_function('require_known_token(bigint)');
  END IF;
END $$;
