-- What PostGraphile needs besides the tables: row level security for the callers' role, computed columns and custom
-- mutations as functions, as its documents teach.
DO $$ BEGIN CREATE ROLE bench_caller; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
COMMENT ON TABLE subscriptions IS '@name person_subscription';
GRANT USAGE ON SCHEMA public TO bench_caller;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO bench_caller;

CREATE FUNCTION caller_company() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT current_setting('app.company_id') $$;
CREATE FUNCTION caller_person() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT current_setting('app.person_id') $$;
COMMENT ON FUNCTION caller_company() IS '@behavior -*';
COMMENT ON FUNCTION caller_person() IS '@behavior -*';

DO $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE table_schema = 'public' AND column_name = 'company_id' AND table_type = 'BASE TABLE'
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    CONTINUE WHEN name IN ('goals', 'projects', 'spaces', 'resource_hubs', 'resource_hub_documents', 'resource_hub_files', 'notifications');
    EXECUTE format('CREATE POLICY company ON %I FOR SELECT TO bench_caller USING (company_id = (SELECT caller_company()))', name);
  END LOOP;
  FOR name IN SELECT unnest(ARRAY['goal', 'project', 'space', 'resource_hub']) LOOP
    EXECUTE format('CREATE POLICY visible ON %1$ss FOR SELECT TO bench_caller USING (company_id = (SELECT caller_company())
      AND EXISTS (SELECT FROM %1$s_access a WHERE a.company_id = (SELECT caller_company()) AND a.%1$s_id = id
        AND a.person_id = (SELECT caller_person()) AND a.level >= 10))', name);
  END LOOP;
END
$$;
CREATE POLICY own ON notifications FOR SELECT TO bench_caller
  USING (company_id = (SELECT caller_company()) AND person_id = (SELECT caller_person()));
CREATE POLICY visible ON resource_hub_files FOR SELECT TO bench_caller USING (company_id = (SELECT caller_company())
  AND EXISTS (SELECT FROM resource_hub_access a WHERE a.company_id = (SELECT caller_company())
    AND a.resource_hub_id = resource_hub_files.resource_hub_id AND a.person_id = (SELECT caller_person()) AND a.level >= 10));
CREATE POLICY visible ON resource_hub_documents FOR SELECT TO bench_caller USING (company_id = (SELECT caller_company())
  AND deleted_at IS NULL AND (state = 'published' OR author_id = (SELECT caller_person()))
  AND EXISTS (SELECT FROM resource_hub_access a WHERE a.company_id = (SELECT caller_company())
    AND a.resource_hub_id = resource_hub_documents.resource_hub_id AND a.person_id = (SELECT caller_person()) AND a.level >= 10));

CREATE TYPE access_levels AS (public integer, company integer, space integer);
CREATE TYPE goal_permission AS (can_view boolean, can_comment boolean, can_edit boolean, has_full_access boolean);
CREATE TYPE contextual_date AS (date_type text, value text, date date);
CREATE TYPE timeframe AS (contextual_start_date contextual_date, contextual_end_date contextual_date);
CREATE TYPE subscriber AS (role text, priority boolean, is_subscribed boolean, person people);
CREATE TYPE hub_permission AS (can_view boolean, can_comment_on_document boolean, can_comment_on_file boolean,
  can_comment_on_link boolean, can_create_document boolean, can_create_folder boolean, can_create_file boolean,
  can_create_link boolean, can_edit_document boolean, can_edit_file boolean, can_edit_link boolean,
  can_edit_parent_folder boolean, can_delete_document boolean, can_delete_file boolean, can_delete_folder boolean,
  can_delete_link boolean, can_copy_folder boolean, can_rename_folder boolean);

-- Goals.
CREATE FUNCTION goals_access_levels(g goals) RETURNS access_levels LANGUAGE sql STABLE AS
  $$ SELECT (g.public_level, g.company_level, g.space_level)::access_levels $$;
CREATE FUNCTION goals_is_archived(g goals) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT g.archived_at IS NOT NULL $$;
CREATE FUNCTION goals_is_closed(g goals) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT g.closed_at IS NOT NULL $$;
CREATE FUNCTION goals_is_outdated(g goals) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT g.closed_at IS NULL AND g.archived_at IS NULL AND (g.next_update_scheduled_at IS NULL
    OR (now() AT TIME ZONE 'UTC')::date - (g.next_update_scheduled_at AT TIME ZONE 'UTC')::date > 3) $$;
CREATE FUNCTION goals_last_check_in(g goals) RETURNS goal_progress_updates LANGUAGE sql STABLE AS $$
  SELECT * FROM goal_progress_updates u WHERE u.company_id = g.company_id AND u.goal_id = g.id
  ORDER BY inserted_at DESC, id DESC LIMIT 1 $$;
CREATE FUNCTION goals_last_check_in_id(g goals) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT u.id FROM goal_progress_updates u WHERE u.company_id = g.company_id AND u.goal_id = g.id
  ORDER BY inserted_at DESC, id DESC LIMIT 1 $$;
CREATE FUNCTION goals_status(g goals) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN g.closed_at IS NOT NULL THEN CASE WHEN g.success THEN 'achieved' ELSE 'missed' END
    WHEN goals_is_outdated(g) THEN 'outdated'
    ELSE coalesce((SELECT u.status::text FROM goal_progress_updates u WHERE u.company_id = g.company_id AND u.goal_id = g.id
      ORDER BY inserted_at DESC, id DESC LIMIT 1), 'pending') END $$;
CREATE FUNCTION goals_my_role(g goals) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE caller_person() WHEN g.champion_id THEN 'champion' WHEN g.reviewer_id THEN 'reviewer' END $$;
CREATE FUNCTION goals_permissions(g goals) RETURNS goal_permission LANGUAGE sql STABLE AS $$
  SELECT (level >= 10, level >= 40, level >= 70, level >= 100)::goal_permission FROM goal_access a
  WHERE a.company_id = g.company_id AND a.goal_id = g.id AND a.person_id = caller_person() $$;
CREATE FUNCTION goals_privacy(g goals) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN g.public_level > 0 THEN 'public' WHEN g.company_level > 0 THEN 'internal'
    WHEN g.space_level > 0 THEN 'confidential' ELSE 'secret' END $$;
CREATE FUNCTION goals_visible_parent_goal_id(g goals) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT p.id FROM goals p WHERE p.company_id = g.company_id AND p.id = g.parent_goal_id $$;
CREATE FUNCTION goals_progress_percentage(g goals) RETURNS float LANGUAGE sql STABLE AS $$
  SELECT coalesce(avg(part), 0) FROM (
    SELECT CASE WHEN t."from" = t."to" THEN 0 ELSE least(100, greatest(0, (value - "from") / ("to" - "from") * 100)) END AS part
    FROM targets t WHERE t.company_id = g.company_id AND t.goal_id = g.id
    UNION ALL SELECT 100.0 * count(*) FILTER (WHERE completed) / count(*) FROM goal_checks c
      WHERE c.company_id = g.company_id AND c.goal_id = g.id HAVING count(*) > 0) parts $$;
CREATE FUNCTION goals_timeframe(g goals) RETURNS timeframe LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN num_nonnulls(g.start_date, g.end_date) > 0 THEN ROW(
    CASE WHEN g.start_date IS NOT NULL THEN ROW(g.start_date_type::text, g.start_date_value, g.start_date)::contextual_date END,
    CASE WHEN g.end_date IS NOT NULL THEN ROW(g.end_date_type::text, g.end_date_value, g.end_date)::contextual_date END
  )::timeframe END $$;
CREATE FUNCTION goals_retrospective(g goals) RETURNS goal_retrospectives LANGUAGE sql STABLE AS $$
  SELECT * FROM goal_retrospectives r WHERE r.company_id = g.company_id AND r.goal_id = g.id
  ORDER BY inserted_at DESC, id DESC LIMIT 1 $$;
CREATE FUNCTION goals_unread(g goals) RETURNS SETOF notifications LANGUAGE sql STABLE AS $$
  SELECT n.* FROM activities v JOIN notifications n ON n.company_id = g.company_id AND n.activity_id = v.id
    AND n.person_id = caller_person() AND n.read_at IS NULL
  WHERE v.company_id = g.company_id AND v.goal_id = g.id ORDER BY v.inserted_at DESC, v.id DESC $$;

CREATE FUNCTION concerned(company text, space text, champion text, reviewer text, list text) RETURNS SETOF subscriber
LANGUAGE sql STABLE AS $$
  SELECT CASE w.rank WHEN 1 THEN 'Champion' WHEN 2 THEN 'Reviewer' ELSE p.title END, w.rank < 3,
    EXISTS (SELECT FROM subscriptions s WHERE s.company_id = company AND s.subscription_list_id = list
      AND s.person_id = p.id AND NOT s.canceled), p
  FROM (SELECT id, min(rank) AS rank FROM (
    SELECT champion AS id, 1 AS rank UNION ALL SELECT reviewer, 2 UNION ALL
    SELECT m.person_id, 3 FROM space_members m WHERE m.company_id = company AND m.space_id = space) everyone
    WHERE id IS NOT NULL GROUP BY id) w
  JOIN people p ON p.company_id = company AND p.id = w.id ORDER BY w.rank, p.full_name, p.id $$;
COMMENT ON FUNCTION concerned(text, text, text, text, text) IS '@behavior -*';
CREATE FUNCTION goals_potential_subscribers(g goals) RETURNS SETOF subscriber LANGUAGE sql STABLE AS $$
  SELECT * FROM concerned(g.company_id, g.space_id, g.champion_id, g.reviewer_id, (SELECT l.id FROM activities v
    JOIN comment_threads t ON t.company_id = g.company_id AND t.activity_id = v.id
    LEFT JOIN subscription_lists l ON l.company_id = g.company_id AND l.thread_id = t.id
    WHERE v.company_id = g.company_id AND v.goal_id = g.id ORDER BY v.inserted_at DESC, v.id DESC LIMIT 1)) $$;

CREATE FUNCTION goal_progress_updates_acknowledged(u goal_progress_updates) RETURNS boolean LANGUAGE sql STABLE AS
  $$ SELECT u.acknowledged_at IS NOT NULL $$;
CREATE FUNCTION goal_progress_updates_comments_count(u goal_progress_updates) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM comments c WHERE c.company_id = u.company_id AND c.progress_update_id = u.id AND c.deleted_at IS NULL $$;
CREATE FUNCTION goal_retrospectives_comment_count(r goal_retrospectives) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM comments c WHERE c.company_id = r.company_id AND c.retrospective_id = r.id AND c.deleted_at IS NULL $$;
CREATE FUNCTION notifications_read(n notifications) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT n.read_at IS NOT NULL $$;
CREATE FUNCTION projects_is_closed(p projects) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT p.closed_at IS NOT NULL $$;
CREATE FUNCTION projects_privacy(g projects) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN g.public_level > 0 THEN 'public' WHEN g.company_level > 0 THEN 'internal'
    WHEN g.space_level > 0 THEN 'confidential' ELSE 'secret' END $$;
CREATE FUNCTION spaces_access_levels(s spaces) RETURNS access_levels LANGUAGE sql STABLE AS
  $$ SELECT (s.public_level, s.company_level, s.space_level)::access_levels $$;
CREATE FUNCTION spaces_is_member(s spaces) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM space_members m WHERE m.company_id = s.company_id AND m.space_id = s.id AND m.person_id = caller_person()) $$;

-- Files and documents.
CREATE FUNCTION resource_hub_folders_children_count(f resource_hub_folders) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT ((SELECT count(*) FROM resource_hub_folders n WHERE n.company_id = f.company_id
      AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id)
    + (SELECT count(*) FROM resource_hub_files n WHERE n.company_id = f.company_id
      AND n.resource_hub_id = f.resource_hub_id AND n.parent_folder_id = f.id AND n.deleted_at IS NULL)
    + (SELECT count(*) FROM resource_hub_documents n WHERE n.company_id = f.company_id AND n.resource_hub_id = f.resource_hub_id
      AND n.parent_folder_id = f.id AND n.deleted_at IS NULL AND (n.state = 'published' OR n.author_id = caller_person())))::integer
$$ SECURITY DEFINER;
CREATE FUNCTION folder_path(company text, folder text) RETURNS SETOF resource_hub_folders LANGUAGE sql STABLE AS $$
  WITH RECURSIVE path AS (
    SELECT f.id, f.parent_folder_id, 0 AS distance FROM resource_hub_folders f WHERE f.company_id = company AND f.id = folder
    UNION ALL SELECT f.id, f.parent_folder_id, p.distance + 1 FROM path p CROSS JOIN LATERAL (
      SELECT * FROM resource_hub_folders WHERE company_id = company AND id = p.parent_folder_id OFFSET 0) f
  ) SELECT f.* FROM path p JOIN resource_hub_folders f ON f.company_id = company AND f.id = p.id ORDER BY p.distance DESC $$;
COMMENT ON FUNCTION folder_path(text, text) IS '@behavior -*';
CREATE FUNCTION hub_permissions(company text, hub text) RETURNS hub_permission LANGUAGE sql STABLE AS $$
  SELECT (level >= 10, level >= 40, level >= 40, level >= 40, level >= 70, level >= 70, level >= 70, level >= 70, level >= 70,
    level >= 70, level >= 70, level >= 70, level >= 70, level >= 70, level >= 70, level >= 70, level >= 70, level >= 70)::hub_permission
  FROM resource_hub_access a WHERE a.company_id = company AND a.resource_hub_id = hub AND a.person_id = caller_person() $$;
COMMENT ON FUNCTION hub_permissions(text, text) IS '@behavior -*';
CREATE FUNCTION hub_subscribers(company text, hub text, list text) RETURNS SETOF subscriber LANGUAGE sql STABLE AS $$
  SELECT c.* FROM resource_hubs h LEFT JOIN goals g ON g.company_id = company AND g.id = h.goal_id
  LEFT JOIN projects j ON j.company_id = company AND j.id = h.project_id
  CROSS JOIN LATERAL concerned(company, coalesce(h.space_id, g.space_id, j.space_id), coalesce(g.champion_id, j.champion_id),
    coalesce(g.reviewer_id, j.reviewer_id), list) c
  WHERE h.company_id = company AND h.id = hub $$;
COMMENT ON FUNCTION hub_subscribers(text, text, text) IS '@behavior -*';

CREATE FUNCTION resource_hub_files_comments_count(n resource_hub_files) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM comments c WHERE c.company_id = n.company_id AND c.file_id = n.id AND c.deleted_at IS NULL $$;
CREATE FUNCTION resource_hub_files_path_to_file(n resource_hub_files) RETURNS SETOF resource_hub_folders LANGUAGE sql STABLE AS
  $$ SELECT * FROM folder_path(n.company_id, n.parent_folder_id) $$;
CREATE FUNCTION resource_hub_files_permissions(n resource_hub_files) RETURNS hub_permission LANGUAGE sql STABLE AS
  $$ SELECT hub_permissions(n.company_id, n.resource_hub_id) $$;
CREATE FUNCTION resource_hub_files_potential_subscribers(n resource_hub_files) RETURNS SETOF subscriber LANGUAGE sql STABLE AS $$
  SELECT * FROM hub_subscribers(n.company_id, n.resource_hub_id,
    (SELECT l.id FROM subscription_lists l WHERE l.company_id = n.company_id AND l.file_id = n.id)) $$;
CREATE FUNCTION resource_hub_documents_comments_count(n resource_hub_documents) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM comments c WHERE c.company_id = n.company_id AND c.document_id = n.id AND c.deleted_at IS NULL $$;
CREATE FUNCTION resource_hub_documents_versions_count(n resource_hub_documents) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM document_versions v WHERE v.company_id = n.company_id AND v.document_id = n.id $$;
CREATE FUNCTION resource_hub_documents_path_to_document(n resource_hub_documents) RETURNS SETOF resource_hub_folders
LANGUAGE sql STABLE AS $$ SELECT * FROM folder_path(n.company_id, n.parent_folder_id) $$;
CREATE FUNCTION resource_hub_documents_permissions(n resource_hub_documents) RETURNS hub_permission LANGUAGE sql STABLE AS
  $$ SELECT hub_permissions(n.company_id, n.resource_hub_id) $$;
CREATE FUNCTION resource_hub_documents_potential_subscribers(n resource_hub_documents) RETURNS SETOF subscriber
LANGUAGE sql STABLE AS $$
  SELECT * FROM hub_subscribers(n.company_id, n.resource_hub_id,
    (SELECT l.id FROM subscription_lists l WHERE l.company_id = n.company_id AND l.document_id = n.id)) $$;
CREATE FUNCTION resource_hub_documents_unread(n resource_hub_documents) RETURNS SETOF notifications LANGUAGE sql STABLE AS $$
  SELECT m.* FROM activities v JOIN notifications m ON m.company_id = n.company_id AND m.activity_id = v.id
    AND m.person_id = caller_person() AND m.read_at IS NULL
  WHERE v.company_id = n.company_id AND v.document_id = n.id ORDER BY v.inserted_at DESC, v.id DESC $$;
CREATE FUNCTION resource_hub_documents_url(n resource_hub_documents) RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT current_setting('app.url') || '/documents/' || n.id $$;
CREATE FUNCTION resource_hub_documents_public_url(n resource_hub_documents) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT current_setting('app.url') || '/public/documents/' || n.public_token FROM resource_hub_access a
  WHERE a.company_id = n.company_id AND a.resource_hub_id = n.resource_hub_id AND a.person_id = caller_person() AND a.level >= 70 $$;
CREATE FUNCTION subscription_lists_parent_type(l subscription_lists) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN l.thread_id IS NOT NULL THEN 'comment_thread' WHEN l.file_id IS NOT NULL THEN 'resource_hub_file'
    ELSE 'resource_hub_document' END $$;
CREATE FUNCTION document_versions_title_changed(v document_versions) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT w.title <> v.title FROM document_versions w WHERE w.company_id = v.company_id
    AND w.document_id = v.document_id AND w.version_number = v.previous_version_number), false) $$;
CREATE FUNCTION document_versions_content_changed(v document_versions) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT w.content <> v.content FROM document_versions w WHERE w.company_id = v.company_id
    AND w.document_id = v.document_id AND w.version_number = v.previous_version_number), false) $$;
CREATE FUNCTION document_versions_is_current(v document_versions) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT d.current_version = v.version_number FROM resource_hub_documents d WHERE d.company_id = v.company_id AND d.id = v.document_id $$;

-- Mutations: each checks access and state itself, and runs with the rights of the tables' owner.
CREATE FUNCTION permit(what text, id text, level integer) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF current_setting('app.can_write') <> 'true' THEN RAISE EXCEPTION 'FORBIDDEN' USING ERRCODE = 'GP403'; END IF;
  IF coalesce(level, 0) < 10 THEN RAISE EXCEPTION 'NOT_FOUND' USING ERRCODE = 'GP404', DETAIL = format('There is no %s %s.', what, id); END IF;
  IF level < 70 THEN RAISE EXCEPTION 'FORBIDDEN' USING ERRCODE = 'GP403'; END IF;
END
$$;
COMMENT ON FUNCTION permit(text, text, integer) IS '@behavior -*';

CREATE FUNCTION reopen_goal(goal text, message text, subscriber_ids text[], send_to_everyone boolean) RETURNS goals
LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
  company text := caller_company();
  caller text := caller_person();
  found goals;
BEGIN
  PERFORM permit('goal', goal, (SELECT a.level FROM goal_access a
    WHERE a.company_id = company AND a.goal_id = goal AND a.person_id = caller));
  IF EXISTS (SELECT FROM unnest(subscriber_ids) w(id)
    WHERE NOT EXISTS (SELECT FROM people p WHERE p.company_id = company AND p.id = w.id)) THEN
    RAISE EXCEPTION 'BAD_USER_INPUT' USING ERRCODE = 'GP400';
  END IF;
  SELECT * INTO found FROM goals g WHERE g.company_id = company AND g.id = goal;
  IF found.archived_at IS NOT NULL THEN RAISE EXCEPTION 'GOAL_ARCHIVED' USING ERRCODE = 'GP409'; END IF;
  WITH goal AS (
    UPDATE goals g SET closed_at = NULL, closed_by_id = NULL, success = NULL, updated_at = now()
    WHERE g.company_id = company AND g.id = goal AND closed_at IS NOT NULL AND archived_at IS NULL RETURNING g.id, g.space_id
  ), activity AS (
    INSERT INTO activities (company_id, action, author_id, goal_id, name, undone_success, undone_closed_at, undone_closed_by_id)
    SELECT company, 'goal_reopened', caller, id, found.name, found.success, found.closed_at, found.closed_by_id FROM goal RETURNING id
  ), thread AS (
    INSERT INTO comment_threads (company_id, activity_id, message) SELECT company, id, reopen_goal.message FROM activity RETURNING id
  ), list AS (
    INSERT INTO subscription_lists (company_id, thread_id, send_to_everyone) SELECT company, id, reopen_goal.send_to_everyone
    FROM thread RETURNING id
  ), subscribed AS (
    INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type)
    SELECT company, list.id, p.id, CASE WHEN p.id = caller THEN 'joined' ELSE 'invited' END::subscription_type
    FROM list, people p WHERE p.company_id = company AND p.id = ANY(caller || subscriber_ids) RETURNING person_id
  ), viewers AS (
    SELECT person_id, level FROM goal_access a WHERE a.company_id = company AND a.goal_id = reopen_goal.goal
      AND (reopen_goal.send_to_everyone OR a.person_id = ANY(caller || subscriber_ids))
  )
  INSERT INTO notifications (company_id, activity_id, person_id) SELECT company, activity.id, p.id FROM activity, people p
  WHERE p.company_id = company AND p.id <> caller AND p.suspended_at IS NULL
    AND p.id IN (SELECT person_id FROM subscribed UNION SELECT m.person_id FROM goal
      JOIN space_members m ON m.company_id = company AND m.space_id = goal.space_id WHERE reopen_goal.send_to_everyone)
    AND EXISTS (SELECT FROM viewers v WHERE v.person_id = p.id AND v.level >= 10);
  SELECT * INTO found FROM goals g WHERE g.company_id = company AND g.id = reopen_goal.goal;
  RETURN found;
END
$$;

CREATE FUNCTION delete_file(file text) RETURNS resource_hub_files LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
  company text := caller_company();
  caller text := caller_person();
  deleted resource_hub_files;
  activity text;
BEGIN
  PERFORM permit('file', file, (SELECT a.level FROM resource_hub_files f JOIN resource_hub_access a
    ON a.company_id = company AND a.resource_hub_id = f.resource_hub_id AND a.person_id = caller
    WHERE f.company_id = company AND f.id = file AND f.deleted_at IS NULL));
  UPDATE resource_hub_files f SET deleted_at = now(), deleted_by_id = caller
  WHERE f.company_id = company AND f.id = file AND f.deleted_at IS NULL RETURNING * INTO deleted;
  IF deleted IS NULL THEN RAISE EXCEPTION 'NOT_FOUND' USING ERRCODE = 'GP404'; END IF;
  INSERT INTO activities (company_id, action, author_id, file_id, name)
  VALUES (company, 'resource_hub_file_deleted', caller, file, deleted.name) RETURNING id INTO activity;
  INSERT INTO notifications (company_id, activity_id, person_id) SELECT company, activity, p.id FROM people p
  WHERE p.company_id = company AND p.id <> caller AND p.suspended_at IS NULL AND p.id IN (
    SELECT s.person_id FROM subscription_lists l JOIN subscriptions s ON s.company_id = company AND s.subscription_list_id = l.id
    WHERE l.company_id = company AND l.file_id = file AND NOT s.canceled
    UNION SELECT m.person_id FROM subscription_lists l, resource_hubs h
      LEFT JOIN goals g ON g.company_id = company AND g.id = h.goal_id LEFT JOIN projects j ON j.company_id = company AND j.id = h.project_id
      JOIN space_members m ON m.company_id = company AND m.space_id = coalesce(h.space_id, g.space_id, j.space_id)
    WHERE l.company_id = company AND l.file_id = file AND l.send_to_everyone
      AND h.company_id = company AND h.id = deleted.resource_hub_id
      AND NOT EXISTS (SELECT FROM subscriptions s WHERE s.company_id = company AND s.subscription_list_id = l.id
        AND s.person_id = m.person_id AND s.canceled))
    AND EXISTS (SELECT FROM resource_hub_access v WHERE v.company_id = company AND v.resource_hub_id = deleted.resource_hub_id
      AND v.person_id = p.id AND v.level >= 10);
  RETURN deleted;
END
$$;

CREATE FUNCTION restore_version(document text, version_number integer, expected_current_version integer) RETURNS document_versions
LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $$
DECLARE
  company text := caller_company();
  caller text := caller_person();
  current resource_hub_documents;
  source document_versions;
  restored document_versions;
BEGIN
  SELECT * INTO current FROM resource_hub_documents d WHERE d.company_id = company AND d.id = document AND d.deleted_at IS NULL
    AND (d.state = 'published' OR d.author_id = caller);
  PERFORM permit('document', document, (SELECT a.level FROM resource_hub_access a
    WHERE a.company_id = company AND a.resource_hub_id = current.resource_hub_id AND a.person_id = caller));
  IF current.current_version <> expected_current_version THEN
    RAISE EXCEPTION 'VERSION_CONFLICT' USING ERRCODE = 'GP409', DETAIL = (SELECT json_build_object('current_version', v.version_number,
      'editor', json_build_object('id', p.id, 'full_name', p.full_name), 'inserted_at', v.inserted_at)
      FROM document_versions v JOIN people p ON p.company_id = company AND p.id = v.editor_id
      WHERE v.company_id = company AND v.document_id = document AND v.version_number = current.current_version);
  END IF;
  SELECT * INTO source FROM document_versions v
  WHERE v.company_id = company AND v.document_id = document AND v.version_number = restore_version.version_number;
  IF source IS NULL THEN RAISE EXCEPTION 'NOT_FOUND' USING ERRCODE = 'GP404'; END IF;
  IF source.title = current.name AND source.content = current.content THEN RETURN NULL; END IF;
  UPDATE resource_hub_documents d
  SET name = source.title, content = source.content, current_version = d.current_version + 1, updated_at = now()
  WHERE d.company_id = company AND d.id = document AND d.current_version = expected_current_version AND d.deleted_at IS NULL;
  IF NOT FOUND THEN RAISE EXCEPTION 'VERSION_CONFLICT' USING ERRCODE = 'GP409'; END IF;
  INSERT INTO document_versions (company_id, document_id, version_number, previous_version_number, title, content, editor_id,
    origin, restored_from_version_number)
  VALUES (company, document, expected_current_version + 1, expected_current_version, source.title, source.content, caller,
    'restored', source.version_number) RETURNING * INTO restored;
  INSERT INTO activities (company_id, action, author_id, document_id, document_version_id, name)
  VALUES (company, 'document_version_restored', caller, document, restored.id, restored.title);
  RETURN restored;
END
$$;
