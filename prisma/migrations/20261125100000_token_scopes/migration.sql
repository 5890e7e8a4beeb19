-- What a token may do, as lists with spaces between their items; null for all there is, and is to come.
DO $$
BEGIN
  ALTER TABLE api_tokens ADD COLUMN scopes text, ADD COLUMN surfaces text;

  -- Who may know of a token that it made an activity: its person, and the owners of the company.
  CREATE VIEW token_viewers AS
    SELECT t.company_id, t.id AS token_id, p.id AS person_id
    FROM api_tokens t JOIN people p ON p.company_id = t.company_id
    WHERE p.is_owner OR p.id = t.person_id;
END $$;
