-- Lists: an index under every order, so that a page costs what the page holds, wherever it is.

-- Names sort without regard to case; 200 characters are short enough for an index, ids decide what is equal so far.
CREATE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT lower(left(name, 200))
$$;

-- The level on a hub is the one on its parent: as one join, so that Postgres can ask for a single hub. Of three parents
-- united it would first compute everybody's level on every hub.
CREATE OR REPLACE VIEW resource_hub_access AS
  SELECT h.id AS resource_hub_id, p.id AS person_id,
    access_level(
      p.is_owner,
      CASE WHEN p.id IN (g.champion_id, g.reviewer_id, r.champion_id, r.reviewer_id) THEN 100
        ELSE coalesce(on_space.level, on_goal.level, on_project.level) END,
      m.person_id IS NOT NULL,
      coalesce(s.space_level, g.space_level, r.space_level),
      p.type = 'guest',
      coalesce(s.company_level, g.company_level, r.company_level)
    ) AS level
  FROM resource_hubs h
  JOIN people p ON p.company_id = h.company_id
  LEFT JOIN spaces s ON s.id = h.space_id
  LEFT JOIN goals g ON g.id = h.goal_id
  LEFT JOIN projects r ON r.id = h.project_id
  LEFT JOIN space_members m ON m.space_id = coalesce(h.space_id, g.space_id, r.space_id) AND m.person_id = p.id
  LEFT JOIN access_grants on_space ON on_space.space_id = h.space_id AND on_space.person_id = p.id
  LEFT JOIN access_grants on_goal ON on_goal.goal_id = h.goal_id AND on_goal.person_id = p.id
  LEFT JOIN access_grants on_project ON on_project.project_id = h.project_id AND on_project.person_id = p.id;

-- ── Where what a person may see is ──────────────────────────────────────────────────────────────────────────────
-- The ladder (goal_access, space_access) turned around. It only says where to look; what is found is shown by the ladder.

-- All goals on one shelf (1 archived, 2 closed, 4 open to its space, 8 open to the company) are seen by the same people,
-- personal access aside.
CREATE FUNCTION goal_shelf(company_level integer, space_level integer, closed_at timestamptz, archived_at timestamptz)
RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN company_level >= 10 THEN 8 ELSE 0 END + CASE WHEN space_level >= 10 THEN 4 ELSE 0 END
    + CASE WHEN closed_at IS NOT NULL THEN 2 ELSE 0 END + CASE WHEN archived_at IS NOT NULL THEN 1 ELSE 0 END
$$;

-- The shelves a person sees everything on: of the whole company (space_id null), or of a space they are a member of.
CREATE VIEW visible_goal_shelves AS
  SELECT p.id AS person_id, NULL::text AS space_id, shelf
  FROM people p, generate_series(0, 15) AS shelf
  WHERE p.is_owner OR (p.type <> 'guest' AND shelf & 8 <> 0)
  UNION ALL
  SELECT p.id, m.space_id, shelf
  FROM people p JOIN space_members m ON m.person_id = p.id, generate_series(0, 15) AS shelf
  WHERE NOT p.is_owner AND shelf & 4 <> 0 AND (p.type = 'guest' OR shelf & 8 = 0);

-- The goals and projects a person sees for their own sake: by a grant, as champion or as reviewer.
CREATE VIEW personal_goals AS
  SELECT p.id AS person_id, a.goal_id
  FROM people p JOIN access_grants a ON a.company_id = p.company_id AND a.person_id = p.id
  WHERE a.goal_id IS NOT NULL AND a.level >= 10
  UNION ALL
  SELECT p.id, g.id FROM people p JOIN goals g ON g.company_id = p.company_id AND g.champion_id = p.id
  UNION ALL
  SELECT p.id, g.id FROM people p JOIN goals g ON g.company_id = p.company_id AND g.reviewer_id = p.id;

CREATE VIEW personal_projects AS
  SELECT p.id AS person_id, a.project_id
  FROM people p JOIN access_grants a ON a.company_id = p.company_id AND a.person_id = p.id
  WHERE a.project_id IS NOT NULL AND a.level >= 10
  UNION ALL
  SELECT p.id, r.id FROM people p JOIN projects r ON r.company_id = p.company_id AND r.champion_id = p.id
  UNION ALL
  SELECT p.id, r.id FROM people p JOIN projects r ON r.company_id = p.company_id AND r.reviewer_id = p.id;

-- The spaces a person sees by membership or by a grant.
CREATE VIEW personal_spaces AS
  SELECT m.person_id, s.id AS space_id FROM space_members m JOIN spaces s ON s.id = m.space_id WHERE s.space_level >= 10
  UNION ALL
  SELECT p.id, a.space_id FROM people p JOIN access_grants a ON a.company_id = p.company_id AND a.person_id = p.id
  WHERE a.space_id IS NOT NULL AND a.level >= 10;

-- ── Indexes ─────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE INDEX spaces_by_name ON spaces (company_id, (company_level >= 10), name_key(name), id);

CREATE INDEX goals_by_name ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), name_key(name), id);
CREATE INDEX goals_by_inserted_at ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), inserted_at, id);
CREATE INDEX goals_by_updated_at ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), updated_at, id);
CREATE INDEX goals_of_space_by_name ON goals (space_id, goal_shelf(company_level, space_level, closed_at, archived_at), name_key(name), id);
CREATE INDEX goals_of_space_by_inserted_at ON goals (space_id, goal_shelf(company_level, space_level, closed_at, archived_at), inserted_at, id);
CREATE INDEX goals_of_space_by_updated_at ON goals (space_id, goal_shelf(company_level, space_level, closed_at, archived_at), updated_at, id);

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX goals_name_idx ON goals USING gin (name gin_trgm_ops);

CREATE INDEX resource_hubs_by_name ON resource_hubs (company_id, name_key(name), id);
-- The root is the folder '': an order after "IS NULL" is one the planner does not see.
CREATE INDEX resource_hub_folders_by_name ON resource_hub_folders (resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id);
CREATE INDEX resource_hub_files_by_name ON resource_hub_files (resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL;
CREATE INDEX resource_hub_documents_by_name ON resource_hub_documents (resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL AND state = 'published';
CREATE INDEX resource_hub_drafts_by_name ON resource_hub_documents (author_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL AND state = 'draft';

CREATE INDEX notifications_by_read ON notifications (person_id, (read_at IS NULL), inserted_at, id);
