// The JSON of each record, as Postgres builds it. $1 is the company, $2 the caller.

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const list = (json: string, from: string, order: string) =>
  `(SELECT coalesce(json_agg(${json} ORDER BY ${order}), '[]') FROM ${from})`;
const json = (members: Record<string, string>) =>
  `json_build_object(${Object.entries(members)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})`;
const columns = (alias: string, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, `${alias}.${name}`]));

const personJson = (p: string) => json(columns(p, 'id full_name title email avatar_url type'));
const person = (id: string) => `(SELECT ${personJson('p')} FROM people p WHERE p.company_id = $1 AND p.id = ${id})`;
const levels = (r: string) =>
  json({ public: `${r}.public_level`, company: `${r}.company_level`, space: `${r}.space_level` });
const privacy = (r: string) =>
  `CASE WHEN ${r}.public_level > 0 THEN 'public' WHEN ${r}.company_level > 0 THEN 'internal'
    WHEN ${r}.space_level > 0 THEN 'confidential' ELSE 'secret' END`;
const comments = (column: string, id: string) =>
  `(SELECT count(*) FROM comments c WHERE c.company_id = $1 AND c.${column} = ${id} AND c.deleted_at IS NULL)`;
const reactions = (column: string, id: string) =>
  list(
    json({ id: 'r.id', emoji: 'r.emoji', person: personJson('p') }),
    `reactions r JOIN people p ON p.company_id = $1 AND p.id = r.person_id WHERE r.company_id = $1 AND r.${column} = ${id}`,
    'r.inserted_at, r.id',
  );
const notifications = (column: string, id: string) =>
  list(
    json({
      id: 'u.id',
      read: 'false',
      read_at: 'NULL',
      inserted_at: time('u.inserted_at'),
      activity: json({
        id: 'v.id',
        action: 'v.action',
        inserted_at: time('v.inserted_at'),
        author: person('v.author_id'),
      }),
    }),
    `activities v JOIN notifications u ON u.company_id = $1 AND u.activity_id = v.id AND u.person_id = $2 AND u.read_at IS NULL
      WHERE v.company_id = $1 AND v.${column} = ${id}`,
    'v.inserted_at DESC, v.id DESC',
  );

const space = (id: string) => `(SELECT ${json({
  ...columns('s', 'id name mission is_company_space'),
  is_member: 'EXISTS (SELECT FROM space_members m WHERE m.company_id = $1 AND m.space_id = s.id AND m.person_id = $2)',
  access_levels: levels('s'),
})} FROM spaces s WHERE s.company_id = $1 AND s.id = ${id} AND EXISTS (SELECT FROM space_access a
  WHERE a.company_id = $1 AND a.space_id = s.id AND a.person_id = $2 AND a.level >= 10))`;

const project = {
  ...columns('j', 'id name status description goal_id space_id'),
  privacy: privacy('j'),
  champion: person('j.champion_id'),
  reviewer: person('j.reviewer_id'),
  closed_at: time('j.closed_at'),
  is_closed: 'j.closed_at IS NOT NULL',
  inserted_at: time('j.inserted_at'),
  updated_at: time('j.updated_at'),
};

const contextual = (g: string, end: 'start' | 'end') =>
  `CASE WHEN ${g}.${end}_date IS NOT NULL THEN ${json({
    date_type: `${g}.${end}_date_type`,
    value: `${g}.${end}_date_value`,
    date: `${g}.${end}_date`,
  })} END`;

/** What several fields of a goal read. */
const goalParts = (g: string) => `
  LEFT JOIN LATERAL (SELECT level FROM goal_access WHERE company_id = $1 AND goal_id = ${g}.id AND person_id = $2) a${g} ON TRUE
  LEFT JOIN LATERAL (SELECT * FROM goal_progress_updates WHERE company_id = $1 AND goal_id = ${g}.id
    ORDER BY inserted_at DESC, id DESC LIMIT 1) u${g} ON TRUE
  CROSS JOIN LATERAL (SELECT ${g}.closed_at IS NULL AND ${g}.archived_at IS NULL AND (${g}.next_update_scheduled_at IS NULL
    OR (now() AT TIME ZONE 'UTC')::date - (${g}.next_update_scheduled_at AT TIME ZONE 'UTC')::date > 3) AS outdated) o${g}`;
const status = (
  g: string,
) => `CASE WHEN ${g}.closed_at IS NOT NULL THEN CASE WHEN ${g}.success THEN 'achieved' ELSE 'missed' END
  WHEN o${g}.outdated THEN 'outdated' ELSE coalesce(u${g}.status::text, 'pending') END`;
const progress = (g: string) => `(SELECT coalesce(avg(part), 0) FROM (
  SELECT CASE WHEN t."from" = t."to" THEN 0 ELSE least(100, greatest(0, (value - "from") / ("to" - "from") * 100)) END AS part
  FROM targets t WHERE t.company_id = $1 AND t.goal_id = ${g}.id
  UNION ALL SELECT 100.0 * count(*) FILTER (WHERE completed) / count(*) FROM goal_checks c
    WHERE c.company_id = $1 AND c.goal_id = ${g}.id HAVING count(*) > 0) parts)`;

const nestedGoal = (g: string) => ({
  ...columns(g, 'id name description success'),
  access_levels: levels(g),
  archived_at: time(`${g}.archived_at`),
  champion: person(`${g}.champion_id`),
  reviewer: person(`${g}.reviewer_id`),
  closed_at: time(`${g}.closed_at`),
  closed_by: person(`${g}.closed_by_id`),
  inserted_at: time(`${g}.inserted_at`),
  updated_at: time(`${g}.updated_at`),
  is_archived: `${g}.archived_at IS NOT NULL`,
  is_closed: `${g}.closed_at IS NOT NULL`,
  is_outdated: `o${g}.outdated`,
  last_check_in_id: `u${g}.id`,
  next_update_scheduled_at: time(`${g}.next_update_scheduled_at`),
  my_role: `CASE $2 WHEN ${g}.champion_id THEN 'champion' WHEN ${g}.reviewer_id THEN 'reviewer' END`,
  parent_goal_id: `(SELECT a.goal_id FROM goal_access a WHERE a.company_id = $1 AND a.goal_id = ${g}.parent_goal_id
    AND a.person_id = $2 AND a.level >= 10)`,
  permissions: json({
    can_view: `a${g}.level >= 10`,
    can_comment: `a${g}.level >= 40`,
    can_edit: `a${g}.level >= 70`,
    has_full_access: `a${g}.level >= 100`,
  }),
  privacy: privacy(g),
  progress_percentage: progress(g),
  status: status(g),
  timeframe: `CASE WHEN num_nonnulls(${g}.start_date, ${g}.end_date) > 0 THEN ${json({
    contextual_start_date: contextual(g, 'start'),
    contextual_end_date: contextual(g, 'end'),
  })} END`,
});

/** The latest live subscriptions of a list, as a set that potential subscribers are looked up in. */
const subscriber = (p: string, role: string, priority: string, list: string) =>
  json({
    role,
    priority,
    is_subscribed: `EXISTS (SELECT FROM subscriptions b WHERE b.company_id = $1 AND b.subscription_list_id = ${list}
    AND b.person_id = ${p}.id AND NOT b.canceled)`,
    person: personJson(p),
  });
const subscribers = (space: string, champion: string, reviewer: string, listId: string) => `(
  SELECT coalesce(json_agg(${subscriber(
    'p',
    `CASE w.rank WHEN 1 THEN 'Champion' WHEN 2 THEN 'Reviewer' ELSE p.title END`,
    'w.rank < 3',
    'l.id',
  )} ORDER BY w.rank, p.full_name, p.id), '[]')
  FROM (SELECT id, min(rank) AS rank FROM (
    SELECT ${champion} AS id, 1 AS rank UNION ALL SELECT ${reviewer}, 2 UNION ALL
    SELECT m.person_id, 3 FROM space_members m WHERE m.company_id = $1 AND m.space_id = ${space}) all_of_them
    WHERE id IS NOT NULL GROUP BY id) w
  JOIN people p ON p.company_id = $1 AND p.id = w.id LEFT JOIN LATERAL (SELECT ${listId} AS id) l ON TRUE)`;
const latestList = (g: string) => `(SELECT l.id FROM activities v
  JOIN comment_threads t ON t.company_id = $1 AND t.activity_id = v.id
  LEFT JOIN subscription_lists l ON l.company_id = $1 AND l.thread_id = t.id
  WHERE v.company_id = $1 AND v.goal_id = ${g}.id ORDER BY v.inserted_at DESC, v.id DESC LIMIT 1)`;

const fullGoal = {
  ...nestedGoal('g'),
  checklist: list(
    json({
      ...columns('c', 'id name completed index'),
      inserted_at: time('c.inserted_at'),
      updated_at: time('c.updated_at'),
    }),
    'goal_checks c WHERE c.company_id = $1 AND c.goal_id = g.id',
    'c.index, c.id',
  ),
  last_check_in: `CASE WHEN ug.id IS NOT NULL THEN ${json({
    ...columns('ug', 'id status message'),
    inserted_at: time('ug.inserted_at'),
    author: person('ug.author_id'),
    acknowledged: 'ug.acknowledged_at IS NOT NULL',
    acknowledged_at: time('ug.acknowledged_at'),
    acknowledging_person: person('ug.acknowledged_by_id'),
    comments_count: comments('progress_update_id', 'ug.id'),
    reactions: reactions('progress_update_id', 'ug.id'),
  })} END`,
  notifications: notifications('goal_id', 'g.id'),
  parent_goal: `(SELECT ${json(nestedGoal('h'))} FROM goals h ${goalParts('h')}
    WHERE h.company_id = $1 AND h.id = g.parent_goal_id AND ah.level >= 10)`,
  potential_subscribers: subscribers('g.space_id', 'g.champion_id', 'g.reviewer_id', latestList('g')),
  projects: list(
    json(project),
    `projects j WHERE j.company_id = $1 AND j.goal_id = g.id AND EXISTS (SELECT FROM project_access a
    WHERE a.company_id = $1 AND a.project_id = j.id AND a.person_id = $2 AND a.level >= 10)`,
    'j.inserted_at, j.id',
  ),
  retrospective: `(SELECT ${json({
    ...columns('r', 'id title content'),
    author: person('r.author_id'),
    inserted_at: time('r.inserted_at'),
    comment_count: comments('retrospective_id', 'r.id'),
  })}
    FROM goal_retrospectives r WHERE r.company_id = $1 AND r.goal_id = g.id ORDER BY r.inserted_at DESC, r.id DESC LIMIT 1)`,
  space: space('g.space_id'),
  targets: list(
    json(Object.fromEntries('id index name from to unit value'.split(' ').map((name) => [name, `t."${name}"`]))),
    'targets t WHERE t.company_id = $1 AND t.goal_id = g.id',
    't.index, t.id',
  ),
};

/** A goal that the caller may see: $3. */
export const goalSql = `SELECT ${json({ goal: json(fullGoal) })}::text AS json
  FROM goals g ${goalParts('g')} WHERE g.company_id = $1 AND g.id = $3 AND ag.level >= 10`;

const along = `AND (inserted_at, id) > ($3, $4) ORDER BY inserted_at, id LIMIT 51`;
const onShelf = 'goal_shelf(company_level, space_level, closed_at, archived_at) = s.shelf';

/** The oldest goals that the caller may see, and one more than asked for: $3 and $4 are where to go on, $5 the size. */
export const pageSql = `
  WITH shelf AS (SELECT space_id, shelf FROM visible_goal_shelves WHERE company_id = $1 AND person_id = $2),
  found AS (
    SELECT g.id, g.inserted_at FROM shelf s CROSS JOIN LATERAL (
      SELECT id, inserted_at FROM goals WHERE company_id = $1 AND s.space_id IS NULL AND ${onShelf} ${along}) g
    UNION SELECT g.id, g.inserted_at FROM shelf s CROSS JOIN LATERAL (
      SELECT id, inserted_at FROM goals WHERE company_id = $1 AND space_id = s.space_id AND ${onShelf} ${along}) g
    UNION SELECT g.id, g.inserted_at
      FROM (SELECT DISTINCT goal_id FROM personal_goals WHERE company_id = $1 AND person_id = $2) p
      JOIN goals g ON g.company_id = $1 AND g.id = p.goal_id WHERE (g.inserted_at, g.id) > ($3, $4)
    ORDER BY inserted_at, id LIMIT $5
  )
  SELECT f.inserted_at AS key, f.id, ${json({
    ...columns('g', 'id name'),
    status: status('g'),
    progress_percentage: progress('g'),
    champion: person('g.champion_id'),
    closed_at: time('g.closed_at'),
    updated_at: time('g.updated_at'),
  })}::text AS json
  FROM found f JOIN goals g ON g.company_id = $1 AND g.id = f.id ${goalParts('g')} ORDER BY f.inserted_at, f.id`;

const permissions = json(
  Object.fromEntries(
    [
      ['can_view', 10],
      ['can_comment_on_document', 40],
      ['can_comment_on_file', 40],
      ['can_comment_on_link', 40],
      ...(
        'can_create_document can_create_folder can_create_file can_create_link can_edit_document can_edit_file can_edit_link ' +
        'can_edit_parent_folder can_delete_document can_delete_file can_delete_folder can_delete_link can_copy_folder can_rename_folder'
      )
        .split(' ')
        .map((name): [string, number] => [name, 70]),
    ].map(([name, level]) => [name, `a.level >= ${level}`]),
  ),
);

const children = (f: string) => `(
  (SELECT count(*) FROM resource_hub_folders n WHERE n.company_id = $1 AND n.resource_hub_id = ${f}.resource_hub_id
    AND n.parent_folder_id = ${f}.id) +
  (SELECT count(*) FROM resource_hub_files n WHERE n.company_id = $1 AND n.resource_hub_id = ${f}.resource_hub_id
    AND n.parent_folder_id = ${f}.id AND n.deleted_at IS NULL) +
  (SELECT count(*) FROM resource_hub_documents n WHERE n.company_id = $1 AND n.resource_hub_id = ${f}.resource_hub_id
    AND n.parent_folder_id = ${f}.id AND n.deleted_at IS NULL AND (n.state = 'published' OR n.author_id = $2)))`;

/** The path to a file or document `n`, and what several of its fields read. */
const node = (table: string, where: string) => `
  WITH RECURSIVE n AS MATERIALIZED (SELECT * FROM ${table} WHERE company_id = $1 AND id = $3 ${where}),
  path AS (
    SELECT f.*, 0 AS distance FROM n JOIN resource_hub_folders f ON f.company_id = $1 AND f.id = n.parent_folder_id
    UNION ALL SELECT f.*, p.distance + 1 FROM path p CROSS JOIN LATERAL (
      SELECT * FROM resource_hub_folders WHERE company_id = $1 AND id = p.parent_folder_id OFFSET 0) f
  ), folder AS MATERIALIZED (
    SELECT distance, ${json({
      ...columns('f', 'id name description resource_hub_id parent_folder_id'),
      children_count: children('f'),
    })} AS json FROM path f
  )`;
const nodeFrom = `FROM n JOIN resource_hubs h ON h.company_id = $1 AND h.id = n.resource_hub_id
  JOIN resource_hub_access a ON a.company_id = $1 AND a.resource_hub_id = h.id AND a.person_id = $2 AND a.level >= 10
  LEFT JOIN goals g ON g.company_id = $1 AND g.id = h.goal_id LEFT JOIN projects j ON j.company_id = $1 AND j.id = h.project_id
  LEFT JOIN subscription_lists l ON l.company_id = $1 AND l.SUBJECT_id = n.id`;
const nodeFields = (subject: 'file' | 'document') => ({
  ...columns('n', 'id name parent_folder_id resource_hub_id'),
  author: person('n.author_id'),
  comments_count: comments(`${subject}_id`, 'n.id'),
  inserted_at: time('n.inserted_at'),
  permissions,
  parent_folder: '(SELECT json FROM folder WHERE distance = 0)',
  [`path_to_${subject}`]: `(SELECT coalesce(json_agg(json ORDER BY distance DESC), '[]') FROM folder)`,
  potential_subscribers: subscribers(
    'coalesce(h.space_id, g.space_id, j.space_id)',
    'coalesce(g.champion_id, j.champion_id)',
    'coalesce(g.reviewer_id, j.reviewer_id)',
    'l.id',
  ),
  reactions: reactions(`${subject}_id`, 'n.id'),
  resource_hub: json({
    ...columns('h', 'id name description'),
    inserted_at: time('h.inserted_at'),
    updated_at: time('h.updated_at'),
  }),
  subscription_list: `CASE WHEN l.id IS NOT NULL THEN ${json({
    id: 'l.id',
    parent_type: `'resource_hub_${subject}'`,
    send_to_everyone: 'l.send_to_everyone',
    subscriptions: list(
      json({ ...columns('b', 'id type canceled'), person: personJson('p') }),
      'subscriptions b JOIN people p ON p.company_id = $1 AND p.id = b.person_id WHERE b.company_id = $1 AND b.subscription_list_id = l.id',
      'b.inserted_at, b.id',
    ),
  })} END`,
});

/** A file, also a deleted one: $3. */
export const fileSql = `${node('resource_hub_files', '')} SELECT ${json({
  file: json({
    ...nodeFields('file'),
    description: 'n.description',
    size: 'b.size',
    type: 'b.content_type',
    blob: json(columns('b', 'id status filename size content_type width height url')),
  }),
})}::text AS json ${nodeFrom.replace('SUBJECT', 'file')} JOIN blobs b ON b.company_id = $1 AND b.id = n.blob_id`;

/** A document and one of its versions or null: $3 and $4. The base of its links is $5. */
export const documentSql = `${node('resource_hub_documents', 'AND deleted_at IS NULL')} SELECT ${json({
  document: json({
    __typename: `'resource_hub_document'`,
    ...nodeFields('document'),
    ...columns('n', 'content current_version state'),
    versions_count: 'coalesce(n.current_version, 0)',
    goal: `CASE WHEN g.id IS NOT NULL THEN (SELECT ${json(nestedGoal('k'))} FROM goals k ${goalParts('k')}
      WHERE k.company_id = $1 AND k.id = g.id) END`,
    project: `CASE WHEN j.id IS NOT NULL THEN ${json(project)} END`,
    space: space('h.space_id'),
    notifications: notifications('document_id', 'n.id'),
    published_at: time('n.published_at'),
    updated_at: time('n.updated_at'),
    public_url: `CASE WHEN a.level >= 70 THEN $5 || '/public/documents/' || n.public_token END`,
    url: `$5 || '/documents/' || n.id`,
  }),
  restored_version: `(SELECT ${json({
    __typename: `'document_version'`,
    ...columns('v', 'id version_number title content origin restored_from_version_number'),
    title_changed: 'coalesce(v.title <> w.title, false)',
    content_changed: 'coalesce(v.content <> w.content, false)',
    editor: person('v.editor_id'),
    inserted_at: time('v.inserted_at'),
    is_current: 'v.version_number = n.current_version',
  })}
    FROM document_versions v LEFT JOIN document_versions w
      ON w.company_id = $1 AND w.document_id = v.document_id AND w.version_number = v.previous_version_number
    WHERE v.company_id = $1 AND v.id = $4)`,
})}::text AS json ${nodeFrom.replace('SUBJECT', 'document')}`;
