-- Nobody has access to what an import has removed. A rung of its own and no condition, so that PostgreSQL expects as many
-- rows as before.
CREATE OR REPLACE VIEW space_access AS
  SELECT s.company_id, s.id AS space_id, p.id AS person_id,
    CASE WHEN s.removed_at IS NULL THEN access_level(p.is_owner, g.level, m.person_id IS NOT NULL, s.space_level, p.type = 'guest', s.company_level) ELSE 0 END AS level
  FROM spaces s
  JOIN people p ON p.company_id = s.company_id
  LEFT JOIN space_members m ON m.company_id = s.company_id AND m.space_id = s.id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = s.company_id AND g.space_id = s.id AND g.person_id = p.id;

CREATE OR REPLACE VIEW goal_access AS
  SELECT r.company_id, r.id AS goal_id, p.id AS person_id, p.suspended_at IS NOT NULL AS is_suspended,
    CASE WHEN r.removed_at IS NULL THEN access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) ELSE 0 END AS level
  FROM goals r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.company_id = r.company_id AND m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = r.company_id AND g.goal_id = r.id AND g.person_id = p.id;

CREATE OR REPLACE VIEW project_access AS
  SELECT r.company_id, r.id AS project_id, p.id AS person_id,
    CASE WHEN r.removed_at IS NULL THEN access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) ELSE 0 END AS level
  FROM projects r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.company_id = r.company_id AND m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = r.company_id AND g.project_id = r.id AND g.person_id = p.id;

CREATE OR REPLACE VIEW resource_hub_access AS
  SELECT h.company_id, h.id AS resource_hub_id, p.id AS person_id, p.suspended_at IS NOT NULL AS is_suspended,
    CASE WHEN h.removed_at IS NULL THEN access_level(
      p.is_owner,
      CASE WHEN p.id IN (g.champion_id, g.reviewer_id, r.champion_id, r.reviewer_id) THEN 100
        ELSE coalesce(on_space.level, on_goal.level, on_project.level) END,
      m.person_id IS NOT NULL,
      coalesce(s.space_level, g.space_level, r.space_level),
      p.type = 'guest',
      coalesce(s.company_level, g.company_level, r.company_level)
    ) ELSE 0 END AS level
  FROM resource_hubs h
  JOIN people p ON p.company_id = h.company_id
  LEFT JOIN spaces s ON s.company_id = h.company_id AND s.id = h.space_id
  LEFT JOIN goals g ON g.company_id = h.company_id AND g.id = h.goal_id
  LEFT JOIN projects r ON r.company_id = h.company_id AND r.id = h.project_id
  LEFT JOIN space_members m ON m.company_id = h.company_id
    AND m.space_id = coalesce(h.space_id, g.space_id, r.space_id) AND m.person_id = p.id
  LEFT JOIN access_grants on_space
    ON on_space.company_id = h.company_id AND on_space.space_id = h.space_id AND on_space.person_id = p.id
  LEFT JOIN access_grants on_goal
    ON on_goal.company_id = h.company_id AND on_goal.goal_id = h.goal_id AND on_goal.person_id = p.id
  LEFT JOIN access_grants on_project
    ON on_project.company_id = h.company_id AND on_project.project_id = h.project_id AND on_project.person_id = p.id;
