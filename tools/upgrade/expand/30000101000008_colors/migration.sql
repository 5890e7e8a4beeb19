-- outside a transaction
DO $$
BEGIN
  LOOP
    UPDATE goals SET color = 'red' WHERE (company_id, id) IN
      (SELECT company_id, id FROM goals WHERE color IS NULL LIMIT 2);
    EXIT WHEN NOT FOUND;
    COMMIT;
  END LOOP;
END
$$;
