ALTER TABLE api_tokens ADD COLUMN color text;
