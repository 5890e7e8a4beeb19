/** How much there is of what. Growth changes one of these at a time. */
export interface Sizes {
  /** Goals besides those that the workloads read and reopen. */
  goals: number;
  documents: number;
  /** Of each document that is restored; at least 2. */
  versions: number;
  /** Whom reopening a goal of the crowded space notifies. */
  recipients: number;
  /** Sentences of a document. */
  sentences: number;
  /** Of the folders above each document and file. */
  depth: number;
  /** Records for each workload that uses them up, before they are made as new. */
  pool: number;
  /** Small companies besides the one of the other workloads. */
  companies: number;
}

export const usualSizes: Sizes = {
  goals: 10_000,
  documents: 1000,
  versions: 10,
  recipients: 1000,
  sentences: 20,
  depth: 3,
  pool: 4000,
  companies: 1,
};

/** A token of the caller, who may edit everything in the workloads by the company's level, as most people can. */
export const callersToken = `gp_${'b'.repeat(43)}`;
export const unknownToken = `gp_${'u'.repeat(43)}`;
/** Of a person of a small company. */
export const smallToken = (company: number) => `gp_${String(company).padStart(43, '0')}`;

export const ids = {
  goal: (n: number) => `full-${n}`,
  closedGoal: (n: number) => `closed-${n}`,
  crowdedGoal: (n: number) => `crowded-${n}`,
  document: (n: number) => `document-${n}`,
  file: (n: number) => `file-${n}`,
  person: (n: number) => `person-${n}`,
  /** The only goal of each small company. */
  onlyGoal: 'only',
};

export const counts = {
  goals: 200,
  crowdedGoals: (pool: number) => Math.ceil(pool / 10),
  /** More than any run restores, so that a million documents are soon there. */
  documentsWithComments: 20_000,
};

const text = (sentences: number) =>
  `repeat('Nobody has ever regretted writing down why a decision was taken. ', ${sentences})`;

/**
 * Fills a migrated, empty database: a company with people, goals and documents, and a second one like it, so that the
 * company in every condition excludes something. Nothing depends on chance.
 */
export const dataSql = (sizes: Sizes) => `
SET session_replication_role = replica;
${companySql('company', sizes)}
${companySql('other', { ...sizes, goals: 1000, documents: 100, versions: 2, pool: 100 })}
INSERT INTO token_companies (company_id, hash) VALUES ('company', sha256('${callersToken}'));
INSERT INTO api_tokens (company_id, id, person_id, name, hash, last_four, can_write)
VALUES ('company', 'token', 'caller', 'Bench', sha256('${callersToken}'), 'bbbb', true);
${smallCompaniesSql(sizes.companies)}
SET session_replication_role = origin;
-- Without it the peers, which do not know the shelves of the product's lists, would sort all goals for each page.
CREATE INDEX goals_for_peers ON goals (company_id, inserted_at, id);
`;

/** Companies of one person with one goal. */
const smallCompaniesSql = (count: number) => {
  const each = `FROM generate_series(0, ${count - 1}) n`;
  const hash = `sha256(('gp_' || lpad(n::text, 43, '0'))::bytea)`;
  return `
INSERT INTO companies (id, name) SELECT 'small-' || n, 'Small ' || n ${each};
INSERT INTO people (company_id, id, full_name, email, is_owner) SELECT 'small-' || n, 'caller', 'Person', 'person@example.com', true ${each};
INSERT INTO spaces (company_id, id, name, company_level, space_level) SELECT 'small-' || n, 'space', 'Space', 70, 100 ${each};
INSERT INTO goals (company_id, id, space_id, name, champion_id, company_level, space_level)
SELECT 'small-' || n, '${ids.onlyGoal}', 'space', 'Goal ' || n, 'caller', 70, 100 ${each};
INSERT INTO token_companies (company_id, hash) SELECT 'small-' || n, ${hash} ${each};
INSERT INTO api_tokens (company_id, id, person_id, name, hash, last_four, can_write, last_used_at)
SELECT 'small-' || n, 'token', 'caller', 'Bench', ${hash}, right(lpad(n::text, 43, '0'), 4), true, now() ${each};`;
};

const companySql = (company: string, sizes: Sizes) => `
INSERT INTO companies (id, name) VALUES ('${company}', 'Bench');
INSERT INTO people (company_id, id, full_name, title, email, avatar_url)
SELECT '${company}', CASE n WHEN 0 THEN 'caller' ELSE 'person-' || n END, 'Person ' || lpad(n::text, 5, '0'), 'Engineer',
  'person-' || n || '@example.com', 'https://example.com/' || n || '.png'
FROM generate_series(0, greatest(1000, ${sizes.recipients})) n;

INSERT INTO spaces (company_id, id, name, mission, company_level, space_level)
SELECT '${company}', 'space-' || n, 'Space ' || n, 'To get things done', CASE WHEN n % 3 = 0 THEN 0 ELSE 70 END, 100
FROM generate_series(1, 50) n;
INSERT INTO spaces (company_id, id, name, mission) VALUES ('${company}', 'team', 'Team', 'To get things done'),
  ('${company}', 'crowd', 'Crowd', 'To get things done');
INSERT INTO space_members (company_id, space_id, person_id)
SELECT '${company}', 'space-' || n, 'person-' || (1 + (n * 7 + k) % 1000) FROM generate_series(1, 50) n, generate_series(1, 10) k
UNION ALL SELECT '${company}', 'space-' || n, 'caller' FROM generate_series(1, 5) n
UNION ALL SELECT '${company}', 'team', CASE n WHEN 0 THEN 'caller' ELSE 'person-' || n END FROM generate_series(0, 9) n
UNION ALL SELECT '${company}', 'crowd', CASE n WHEN 0 THEN 'caller' ELSE 'person-' || n END
  FROM generate_series(0, ${sizes.recipients}) n;

INSERT INTO goals (company_id, id, space_id, name, description, champion_id, reviewer_id, company_level, space_level,
  closed_at, closed_by_id, success, next_update_scheduled_at, inserted_at, updated_at)
SELECT '${company}', 'goal-' || n, 'space-' || (1 + n % 50), 'Goal ' || md5(n::text), ${text(5)},
  'person-' || (1 + n % 1000), 'person-' || (1 + (n + 500) % 1000), CASE WHEN n % 4 = 0 THEN 0 ELSE 70 END,
  CASE WHEN n % 3 = 0 THEN 0 ELSE 100 END, CASE WHEN n % 5 = 0 THEN timestamptz '2026-01-01' END,
  CASE WHEN n % 5 = 0 THEN 'person-1' END, CASE WHEN n % 5 = 0 THEN true END, timestamptz '2099-01-01',
  timestamptz '2020-01-01' + n * interval '1 minute', timestamptz '2020-01-01' + n * interval '1 minute'
FROM generate_series(1, ${sizes.goals}) n;
INSERT INTO goals (company_id, id, space_id, name, description, champion_id, company_level, space_level)
VALUES ('${company}', 'parent', 'team', 'Parent', 'Why we do it', 'person-1', 70, 100);
${goalsSql(company, 'full', 'team', counts.goals, false)}
${goalsSql(company, 'closed', 'team', sizes.pool, true)}
${goalsSql(company, 'crowded', 'crowd', counts.crowdedGoals(sizes.pool), true)}

INSERT INTO resource_hubs (company_id, id, space_id, name, description) VALUES ('${company}', 'hub', 'team', 'Hub', 'Papers');
${foldersSql(company, sizes)}
INSERT INTO resource_hub_documents
  (company_id, id, resource_hub_id, parent_folder_id, name, content, author_id, state, current_version, published_at)
SELECT '${company}', 'document-' || n, 'hub', 'leaf-' || n / 100, 'Plan ' || n, ${text(sizes.sentences)} || ${sizes.versions}, 'person-1',
  'published', ${sizes.versions}, timestamptz '2026-01-01'
FROM generate_series(0, ${sizes.documents - 1}) n;
INSERT INTO document_versions (company_id, id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
SELECT '${company}', 'version-' || n || '-' || v, 'document-' || n, v, nullif(v - 1, 0), 'Plan ' || n, ${text(sizes.sentences)} || v,
  'person-1', CASE v WHEN 1 THEN 'published' ELSE 'edited' END::version_origin
FROM generate_series(0, ${sizes.documents - 1}) n, generate_series(1, ${sizes.versions}) v;
INSERT INTO blobs (company_id, id, filename, size, content_type, url)
SELECT '${company}', 'blob-' || n, 'plan.pdf', 123456, 'application/pdf', 'https://example.com/plan.pdf' FROM generate_series(0, ${sizes.pool - 1}) n;
INSERT INTO resource_hub_files (company_id, id, resource_hub_id, parent_folder_id, name, description, author_id, blob_id)
SELECT '${company}', 'file-' || n, 'hub', 'leaf-' || n / 100, 'File ' || n, 'A plan', 'person-1', 'blob-' || n
FROM generate_series(0, ${sizes.pool - 1}) n;
${talkSql(company, 'document', Math.min(sizes.documents, counts.documentsWithComments))}
${newsSql(company, Math.min(sizes.documents, counts.documentsWithComments))}
${talkSql(company, 'file', sizes.pool)}
`;

/** A chain of folders, then groups of a hundred leaves of a hundred documents: no folder ever has more children. */
const foldersSql = (company: string, { depth, documents, pool }: Sizes) => {
  const leaves = Math.ceil(Math.max(documents, pool) / 100);
  const folders = (name: string, parent: string, last: number) => `
INSERT INTO resource_hub_folders (company_id, id, resource_hub_id, parent_folder_id, name, description)
SELECT '${company}', '${name}-' || n, 'hub', ${parent}, '${name} ' || n, 'Papers' FROM generate_series(0, ${last}) n;`;
  return [
    folders('folder', `CASE WHEN n > 0 THEN 'folder-' || n - 1 END`, depth - 3),
    folders('group', depth > 2 ? `'folder-${depth - 3}'` : 'NULL', Math.floor(leaves / 100)),
    folders('leaf', depth > 1 ? `'group-' || n / 100` : 'NULL', leaves),
  ].join('');
};

/** Goals with everything a goal can have. */
const goalsSql = (company: string, kind: string, space: string, count: number, closed: boolean) => {
  const each = `FROM generate_series(0, ${count - 1}) n`;
  const when = `timestamptz '2026-01-01'`;
  return `
INSERT INTO goals (company_id, id, space_id, parent_goal_id, company_level, space_level, name, description, champion_id, reviewer_id, start_date_type,
  start_date_value, start_date, end_date_type, end_date_value, end_date, next_update_scheduled_at, closed_at, closed_by_id, success)
SELECT '${company}', '${kind}-' || n, '${space}', 'parent', 70, 100, 'Target ${kind} ' || n, ${text(8)}, 'person-1', 'person-2',
  'quarter', 'Q1 2026', date '2026-01-01', 'day', 'Jun 30, 2026', date '2026-06-30', timestamptz '2099-01-01',
  ${closed ? `${when}, 'person-2', true` : 'NULL, NULL, NULL'} ${each};
INSERT INTO targets (company_id, goal_id, index, name, "from", "to", unit, value)
SELECT '${company}', '${kind}-' || n, k, 'Target ' || k, 0, 10, 'EUR', 2.5 * k ${each}, generate_series(1, 3) k;
INSERT INTO goal_checks (company_id, goal_id, index, name, completed)
SELECT '${company}', '${kind}-' || n, k, 'Step ' || k, k < 3 ${each}, generate_series(1, 4) k;
INSERT INTO goal_progress_updates (company_id, id, goal_id, author_id, status, message, acknowledged_at, acknowledged_by_id, inserted_at)
SELECT '${company}', '${kind}-' || n || '-' || k, '${kind}-' || n, 'person-1', 'on_track', 'Fine', ${when}, 'person-2',
  ${when} + k * interval '1 day' ${each}, generate_series(1, 2) k;
INSERT INTO comments (company_id, author_id, content, progress_update_id)
SELECT '${company}', 'person-' || k, 'Well done', '${kind}-' || n || '-2' ${each}, generate_series(1, 2) k;
INSERT INTO reactions (company_id, person_id, emoji, progress_update_id)
SELECT '${company}', 'person-' || k, '👍', '${kind}-' || n || '-2' ${each}, generate_series(1, 2) k;
INSERT INTO goal_retrospectives (company_id, goal_id, author_id, title, content)
SELECT '${company}', '${kind}-' || n, 'person-1', 'Learned', 'Much' ${each};
INSERT INTO projects (company_id, id, space_id, goal_id, company_level, space_level, name, description, status, champion_id, reviewer_id)
SELECT '${company}', '${kind}-project-' || n || '-' || k, '${space}', '${kind}-' || n, 70, 100, 'Project ' || k, 'How', 'on_track', 'person-1',
  'person-2' ${each}, generate_series(1, 2) k;
INSERT INTO activities (company_id, id, action, author_id, goal_id, name, inserted_at)
SELECT '${company}', '${kind}-activity-' || n, 'goal_closed', 'person-1', '${kind}-' || n, 'Goal ' || n, ${when} ${each};
INSERT INTO comment_threads (company_id, id, activity_id, message)
SELECT '${company}', '${kind}-thread-' || n, '${kind}-activity-' || n, 'Done' ${each};
INSERT INTO subscription_lists (company_id, id, thread_id)
SELECT '${company}', '${kind}-list-' || n, '${kind}-thread-' || n ${each};
INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type)
SELECT '${company}', '${kind}-list-' || n, 'person-' || k, 'invited' ${each}, generate_series(1, 3) k;
INSERT INTO notifications (company_id, activity_id, person_id)
SELECT '${company}', '${kind}-activity-' || n, 'caller' ${each};`;
};

const talkSql = (company: string, subject: 'document' | 'file', count: number) => {
  const each = `FROM generate_series(0, ${count - 1}) n`;
  return `
INSERT INTO comments (company_id, author_id, content, ${subject}_id)
SELECT '${company}', 'person-' || k, 'Well done', '${subject}-' || n ${each}, generate_series(1, 2) k;
INSERT INTO reactions (company_id, person_id, emoji, ${subject}_id)
SELECT '${company}', 'person-' || k, '👍', '${subject}-' || n ${each}, generate_series(1, 2) k;
INSERT INTO subscription_lists (company_id, id, ${subject}_id) SELECT '${company}', '${subject}-list-' || n, '${subject}-' || n ${each};
INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type)
SELECT '${company}', '${subject}-list-' || n, 'person-' || k, 'joined' ${each}, generate_series(1, 5) k;`;
};

/** Documents about which the caller has an unread notification. */
const newsSql = (company: string, count: number) => `
INSERT INTO activities (company_id, id, action, author_id, document_id, name)
SELECT '${company}', 'edited-' || n, 'resource_hub_document_edited', 'person-1', 'document-' || n, 'Document ' || n FROM generate_series(0, ${count - 1}) n;
INSERT INTO notifications (company_id, activity_id, person_id)
SELECT '${company}', 'edited-' || n, 'caller' FROM generate_series(0, ${count - 1}) n;`;

/** Makes the records as new that the workloads use up: goals to reopen and files to delete. */
export const renewSql = `
UPDATE goals SET closed_at = timestamptz '2026-01-01', closed_by_id = 'person-2', success = true
  WHERE company_id = 'company' AND closed_at IS NULL AND (id LIKE 'closed-%' OR id LIKE 'crowded-%');
UPDATE resource_hub_files SET deleted_at = NULL, deleted_by_id = NULL
  WHERE company_id = 'company' AND deleted_at IS NOT NULL`;
