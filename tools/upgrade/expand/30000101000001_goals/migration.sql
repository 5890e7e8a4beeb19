ALTER TABLE goals ADD COLUMN color text, ADD COLUMN weight integer NOT NULL DEFAULT 1, ADD COLUMN owner_id text;
CREATE VIEW colored_goals AS SELECT company_id, id, color FROM goals;
