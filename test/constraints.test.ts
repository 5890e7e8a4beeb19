import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createWorld } from './world.js';

const world = await createWorld();
const client = new pg.Client({ connectionString: world.url });

// Two companies with one of everything, under ids that the table below can name.
const furniture = `
  INSERT INTO companies (id, name) VALUES ('c', 'Ours'), ('c2', 'Theirs');
  INSERT INTO people (id, company_id, full_name) VALUES ('p', 'c', 'Ann'), ('q', 'c', 'Bob'), ('p2', 'c2', 'Eve');
  INSERT INTO spaces (id, company_id, name) VALUES ('s', 'c', 'Sales'), ('s2', 'c2', 'Theirs');
  INSERT INTO space_members (company_id, space_id, person_id) VALUES ('c', 's', 'p');
  INSERT INTO goals (id, company_id, space_id, name) VALUES ('g', 'c', 's', 'Sell'), ('g2', 'c2', 's2', 'Theirs');
  INSERT INTO access_grants (id, company_id, person_id, goal_id, level) VALUES ('a', 'c', 'p', 'g', 70);
  INSERT INTO projects (id, company_id, space_id, name) VALUES ('r', 'c', 's', 'Shop'), ('r2', 'c2', 's2', 'Theirs');
  INSERT INTO resource_hubs (id, company_id, space_id, name) VALUES ('h', 'c', 's', 'Hub'), ('h1', 'c', 's', 'Other hub');
  INSERT INTO resource_hub_folders (id, resource_hub_id, parent_folder_id, name)
    VALUES ('f', 'h', NULL, 'Top'), ('ff', 'h', 'f', 'Inside'), ('f1', 'h1', NULL, 'Elsewhere');
  INSERT INTO blobs (id, filename, size, content_type) VALUES ('b', 'a.txt', 1, 'text/plain'), ('b1', 'b.txt', 1, 'text/plain');
  INSERT INTO resource_hub_files (id, resource_hub_id, name, author_id, blob_id) VALUES ('x', 'h', 'a.txt', 'p', 'b');
  INSERT INTO resource_hub_documents (id, resource_hub_id, name, content, author_id, state, current_version, published_at, public_token)
    VALUES ('d', 'h', 'Two', 'two', 'p', 'published', 2, now(), 'shared'), ('d1', 'h', 'One', 'one', 'p', 'published', 1, now(), NULL);
  INSERT INTO resource_hub_documents (id, resource_hub_id, name, content, author_id) VALUES ('draft', 'h', 'Draft', '', 'p');
  INSERT INTO document_versions (id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
    VALUES ('v1', 'd', 1, NULL, 'One', 'one', 'p', 'published'), ('v2', 'd', 2, 1, 'Two', 'two', 'p', 'edited'), ('w1', 'd1', 1, NULL, 'One', 'one', 'p', 'published');
  INSERT INTO activities (id, action, author_id, goal_id) VALUES ('t', 'goal_closed', 'p', 'g');
  INSERT INTO comment_threads (id, activity_id) VALUES ('th', 't');
  INSERT INTO subscription_lists (id, thread_id) VALUES ('l', 'th');
  INSERT INTO subscriptions (subscription_list_id, person_id, type) VALUES ('l', 'p', 'joined');
  INSERT INTO notifications (activity_id, person_id) VALUES ('t', 'q');
  INSERT INTO goal_progress_updates (id, goal_id, author_id, status) VALUES ('u', 'g', 'p', 'on_track');
  INSERT INTO comments (id, author_id, content, file_id) VALUES ('k', 'p', 'Nice', 'x');
  INSERT INTO reactions (person_id, emoji, file_id) VALUES ('p', '+', 'x');
  INSERT INTO api_tokens (person_id, name, hash, last_four) VALUES ('p', 'mine', sha256('1'), 'abcd')`;

beforeAll(async () => {
  await client.connect();
  await client.query(furniture);
});
beforeEach(async () => void (await client.query('BEGIN')));
afterAll(() => client.end());

/** Runs the SQL, and the checks that wait for the end of its transaction, and takes it back. */
async function attempt(sql: string): Promise<{ constraint?: string; column?: string; code?: string } | 'stored'> {
  try {
    await client.query(`${sql}; SET CONSTRAINTS ALL IMMEDIATE`);
    return 'stored';
  } catch (error) {
    return error as pg.DatabaseError;
  } finally {
    await client.query('ROLLBACK');
  }
}

const version = (values: string) =>
  `INSERT INTO document_versions (document_id, version_number, previous_version_number, title, content, editor_id, origin, restored_from_version_number) VALUES (${values})`;
const bump = (sql: string) => `UPDATE resource_hub_documents SET current_version = 3 WHERE id = 'd'; ${sql}`;

const refused: [string, string, string][] = [
  // The ladder.
  ...['spaces', 'goals', 'projects'].flatMap((table): [string, string, string][] =>
    ['public_level', 'company_level', 'space_level'].map((column) => [
      `a ${column} between the steps of the ladder in ${table}`,
      `UPDATE ${table} SET ${column} = 50`,
      `${table}_levels`,
    ]),
  ),
  ['a grant between the steps of the ladder', 'UPDATE access_grants SET level = 99', 'access_grants_level'],
  [
    'a grant on nothing',
    "INSERT INTO access_grants (company_id, person_id, level) VALUES ('c', 'p', 10)",
    'access_grants_one_resource',
  ],
  ['a grant on two things', "UPDATE access_grants SET space_id = 's'", 'access_grants_one_resource'],
  [
    'a second grant of a person on a goal',
    "INSERT INTO access_grants (company_id, person_id, goal_id, level) VALUES ('c', 'p', 'g', 10)",
    'access_grants_goal_id_person_id_key',
  ],
  // The company as the tenant.
  [
    'a member of another company',
    "INSERT INTO space_members (company_id, space_id, person_id) VALUES ('c', 's', 'p2')",
    'space_members_company_id_person_id_fkey',
  ],
  [
    'a grant to a person of another company',
    "UPDATE access_grants SET person_id = 'p2'",
    'access_grants_company_id_person_id_fkey',
  ],
  [
    'a grant on a goal of another company',
    "UPDATE access_grants SET goal_id = 'g2'",
    'access_grants_company_id_goal_id_fkey',
  ],
  [
    'a goal in a space of another company',
    "UPDATE goals SET space_id = 's2' WHERE id = 'g'",
    'goals_company_id_space_id_fkey',
  ],
  [
    'a parent goal of another company',
    "UPDATE goals SET parent_goal_id = 'g2' WHERE id = 'g'",
    'goals_company_id_parent_goal_id_fkey',
  ],
  [
    'a champion of another company',
    "UPDATE goals SET champion_id = 'p2' WHERE id = 'g'",
    'goals_company_id_champion_id_fkey',
  ],
  [
    'a reviewer of another company',
    "UPDATE goals SET reviewer_id = 'p2' WHERE id = 'g'",
    'goals_company_id_reviewer_id_fkey',
  ],
  [
    'a goal closed from another company',
    "UPDATE goals SET closed_at = now(), success = true, closed_by_id = 'p2' WHERE id = 'g'",
    'goals_company_id_closed_by_id_fkey',
  ],
  [
    'a project for a goal of another company',
    "UPDATE projects SET goal_id = 'g2' WHERE id = 'r'",
    'projects_company_id_goal_id_fkey',
  ],
  [
    'a project in a space of another company',
    "UPDATE projects SET space_id = 's2' WHERE id = 'r'",
    'projects_company_id_space_id_fkey',
  ],
  [
    'a project champion of another company',
    "UPDATE projects SET champion_id = 'p2' WHERE id = 'r'",
    'projects_company_id_champion_id_fkey',
  ],
  [
    'a hub of a project of another company',
    "UPDATE resource_hubs SET space_id = NULL, project_id = 'r2' WHERE id = 'h'",
    'resource_hubs_company_id_project_id_fkey',
  ],
  // Goals.
  ['a goal without a name', "UPDATE goals SET name = '' WHERE id = 'g'", 'goals_name'],
  ['a goal that is its own parent', "UPDATE goals SET parent_goal_id = 'g' WHERE id = 'g'", 'goals_parent'],
  ['a closed goal without an outcome', "UPDATE goals SET closed_at = now() WHERE id = 'g'", 'goals_closed'],
  ['an open goal with an outcome', "UPDATE goals SET success = false WHERE id = 'g'", 'goals_closed'],
  ['an open goal that someone closed', "UPDATE goals SET closed_by_id = 'p' WHERE id = 'g'", 'goals_closed'],
  ['half a start date', "UPDATE goals SET start_date = now() WHERE id = 'g'", 'goals_start_date'],
  [
    'half an end date',
    "UPDATE goals SET end_date_type = 'day', end_date_value = 'May' WHERE id = 'g'",
    'goals_end_date',
  ],
  [
    'a check-in acknowledged by nobody',
    'UPDATE goal_progress_updates SET acknowledged_at = now()',
    'goal_progress_updates_acknowledged',
  ],
  ['a project without a name', "UPDATE projects SET name = '' WHERE id = 'r'", 'projects_name'],
  // The resource hub.
  ['a hub of nothing', "UPDATE resource_hubs SET space_id = NULL WHERE id = 'h'", 'resource_hubs_one_parent'],
  ['a hub of two things', "UPDATE resource_hubs SET goal_id = 'g' WHERE id = 'h'", 'resource_hubs_one_parent'],
  ['a folder without a name', "UPDATE resource_hub_folders SET name = ''", 'resource_hub_folders_name'],
  [
    'a folder inside one of another hub',
    "UPDATE resource_hub_folders SET parent_folder_id = 'f1' WHERE id = 'ff'",
    'resource_hub_folders_resource_hub_id_parent_folder_id_fkey',
  ],
  [
    'a folder inside itself',
    "UPDATE resource_hub_folders SET parent_folder_id = 'f' WHERE id = 'f'",
    'resource_hub_folders_no_cycle',
  ],
  [
    'a folder inside one that it holds',
    "UPDATE resource_hub_folders SET parent_folder_id = 'ff' WHERE id = 'f'",
    'resource_hub_folders_no_cycle',
  ],
  [
    'a file in a folder of another hub',
    "UPDATE resource_hub_files SET parent_folder_id = 'f1'",
    'resource_hub_files_resource_hub_id_parent_folder_id_fkey',
  ],
  ['a file without a name', "UPDATE resource_hub_files SET name = ''", 'resource_hub_files_name'],
  [
    'a file somebody deleted that is not deleted',
    "UPDATE resource_hub_files SET deleted_by_id = 'p'",
    'resource_hub_files_deleted',
  ],
  [
    'two files of the same bytes',
    "INSERT INTO resource_hub_files (resource_hub_id, name, author_id, blob_id) VALUES ('h', 'b', 'p', 'b')",
    'resource_hub_files_blob_id_key',
  ],
  ['bytes of negative size', 'UPDATE blobs SET size = -1', 'blobs_size'],
  ['bytes larger than JSON can say', 'UPDATE blobs SET size = 9007199254740992', 'blobs_size'],
  ['a picture without width', 'UPDATE blobs SET width = 0, height = 1', 'blobs_dimensions'],
  // Documents and their versions.
  ['a document without a name', "UPDATE resource_hub_documents SET name = ''", 'resource_hub_documents_name'],
  [
    'a document in a folder of another hub',
    "UPDATE resource_hub_documents SET parent_folder_id = 'f1' WHERE id = 'd'",
    'resource_hub_documents_resource_hub_id_parent_folder_id_fkey',
  ],
  [
    'a draft with a version',
    `${version("'draft', 1, NULL, 'a', 'b', 'p', 'published', NULL")}; UPDATE resource_hub_documents SET current_version = 1 WHERE id = 'draft'`,
    'resource_hub_documents_draft',
  ],
  [
    'a version of a draft that stays one',
    version("'draft', 1, NULL, 'a', 'b', 'p', 'published', NULL"),
    'resource_hub_documents_current_is_latest',
  ],
  [
    'a published document without a version',
    "UPDATE resource_hub_documents SET current_version = NULL WHERE id = 'd'",
    'resource_hub_documents_draft',
  ],
  [
    'a published document without a date',
    "UPDATE resource_hub_documents SET published_at = NULL WHERE id = 'd'",
    'resource_hub_documents_published',
  ],
  [
    'a draft with a date',
    "UPDATE resource_hub_documents SET published_at = now() WHERE id = 'draft'",
    'resource_hub_documents_published',
  ],
  [
    'a shared draft',
    "UPDATE resource_hub_documents SET public_token = 'x' WHERE id = 'draft'",
    'resource_hub_documents_public',
  ],
  [
    'two documents shared under one token',
    "UPDATE resource_hub_documents SET public_token = 'shared' WHERE id = 'd1'",
    'resource_hub_documents_public_token_key',
  ],
  [
    'a current version that does not exist',
    "UPDATE resource_hub_documents SET current_version = 3 WHERE id = 'd'",
    'resource_hub_documents_current_is_latest|resource_hub_documents_id_current_version_fkey',
  ],
  [
    'a current version that is not the latest',
    "UPDATE resource_hub_documents SET current_version = 1 WHERE id = 'd'",
    'resource_hub_documents_current_is_latest',
  ],
  [
    'a new version that does not become current',
    version("'d', 3, 2, 'a', 'b', 'p', 'edited', NULL"),
    'resource_hub_documents_current_is_latest',
  ],
  [
    'a version number given twice',
    version("'d', 2, 1, 'a', 'b', 'p', 'edited', NULL"),
    'document_versions_document_id_version_number_key',
  ],
  [
    'a gap before a version',
    `UPDATE resource_hub_documents SET current_version = 4 WHERE id = 'd'; ${version("'d', 4, 3, 'a', 'b', 'p', 'edited', NULL")}`,
    'document_versions_document_id_previous_version_number_fkey',
  ],
  [
    'a version after another than the one before',
    bump(version("'d', 3, 1, 'a', 'b', 'p', 'edited', NULL")),
    'document_versions_previous',
  ],
  [
    'a later version without one before',
    bump(version("'d', 3, NULL, 'a', 'b', 'p', 'edited', NULL")),
    'document_versions_previous',
  ],
  ['a version 0', version("'d', 0, NULL, 'a', 'b', 'p', 'edited', NULL"), 'document_versions_number'],
  [
    'a restored version without its source',
    bump(version("'d', 3, 2, 'a', 'b', 'p', 'restored', NULL")),
    'document_versions_restored',
  ],
  [
    'an edited version with a source',
    bump(version("'d', 3, 2, 'a', 'b', 'p', 'edited', 1")),
    'document_versions_restored',
  ],
  [
    'a version restored from itself',
    bump(version("'d', 3, 2, 'a', 'b', 'p', 'restored', 3")),
    'document_versions_restored_from',
  ],
  [
    'a version restored from one that does not exist',
    `UPDATE resource_hub_documents SET current_version = 2 WHERE id = 'd1'; ${version("'d1', 2, 1, 'a', 'b', 'p', 'restored', 0")}`,
    'document_versions_document_id_restored_from_version_number_fkey',
  ],
  ['a changed version', "UPDATE document_versions SET title = 'x'", 'document_versions_append_only'],
  ['a removed version', "DELETE FROM document_versions WHERE id = 'v2'", 'document_versions_append_only'],
  ['an emptied history', 'TRUNCATE document_versions CASCADE', 'document_versions_append_only'],
  [
    'a removed document with versions',
    "DELETE FROM resource_hub_documents WHERE id = 'd'",
    'document_versions_document_id_fkey',
  ],
  // What people say, follow and are told.
  [
    'an activity about nothing',
    "INSERT INTO activities (action, author_id) VALUES ('goal_closed', 'p')",
    'activities_one_subject',
  ],
  ['an activity about two things', "UPDATE activities SET file_id = 'x'", 'activities_one_subject'],
  [
    'a goal activity about a file',
    "INSERT INTO activities (action, author_id, file_id) VALUES ('goal_reopened', 'p', 'x')",
    'activities_subject_of_action',
  ],
  [
    'a restore that made no version',
    "INSERT INTO activities (action, author_id, document_id) VALUES ('document_version_restored', 'p', 'd')",
    'activities_restored_version',
  ],
  [
    'an edit that names a restored version',
    "INSERT INTO activities (action, author_id, document_id, document_version_id) VALUES ('resource_hub_document_edited', 'p', 'd', 'v2')",
    'activities_restored_version',
  ],
  [
    'a second thread of an activity',
    "INSERT INTO comment_threads (activity_id) VALUES ('t')",
    'comment_threads_activity_id_key',
  ],
  ['a comment on nothing', 'UPDATE comments SET file_id = NULL', 'comments_one_subject'],
  ['a comment on two things', "UPDATE comments SET document_id = 'd'", 'comments_one_subject'],
  ['a reaction to nothing', 'UPDATE reactions SET file_id = NULL', 'reactions_one_subject'],
  ['a reaction to two things', "UPDATE reactions SET comment_id = 'k'", 'reactions_one_subject'],
  [
    'the same reaction twice',
    "INSERT INTO reactions (person_id, emoji, file_id) VALUES ('p', '+', 'x')",
    'reactions_file_id_person_id_emoji_key',
  ],
  ['a list of nothing', 'INSERT INTO subscription_lists DEFAULT VALUES', 'subscription_lists_one_parent'],
  ['a list of two things', "UPDATE subscription_lists SET file_id = 'x'", 'subscription_lists_one_parent'],
  [
    'a second list of a thread',
    "INSERT INTO subscription_lists (thread_id) VALUES ('th')",
    'subscription_lists_thread_id_key',
  ],
  [
    'a second subscription of a person',
    "INSERT INTO subscriptions (subscription_list_id, person_id, type) VALUES ('l', 'p', 'invited')",
    'subscriptions_subscription_list_id_person_id_key',
  ],
  [
    'a second notification of a person',
    "INSERT INTO notifications (activity_id, person_id) VALUES ('t', 'q')",
    'notifications_activity_id_person_id_key',
  ],
  // Tokens.
  ['a token in the clear', "UPDATE api_tokens SET hash = 'gp_secret'", 'api_tokens_hash'],
  [
    'more than the last four characters of a token',
    "UPDATE api_tokens SET last_four = 'abcde'",
    'api_tokens_last_four',
  ],
  [
    'two tokens with one hash',
    "INSERT INTO api_tokens (person_id, name, hash, last_four) VALUES ('q', 'b', sha256('1'), 'abcd')",
    'api_tokens_hash_key',
  ],
];

describe('the database itself refuses', () => {
  test.each(refused)('%s', async (_, sql, constraint) => {
    expect(await attempt(sql)).toMatchObject({ constraint: expect.stringMatching(`^(${constraint})$`) });
  });
});
