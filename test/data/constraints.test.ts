import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { asAdministrator } from '../support/database.js';
import { createWorld } from '../support/world.js';

const world = await createWorld();
const client = new pg.Client({ connectionString: asAdministrator(world.url) });

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
  INSERT INTO resource_hub_folders (company_id, id, resource_hub_id, parent_folder_id, name)
    VALUES ('c', 'f', 'h', NULL, 'Top'), ('c', 'ff', 'h', 'f', 'Inside'), ('c', 'f1', 'h1', NULL, 'Elsewhere');
  INSERT INTO blobs (company_id, id, filename, size, content_type) VALUES ('c', 'b', 'a.txt', 1, 'text/plain'), ('c', 'b1', 'b.txt', 1, 'text/plain');
  INSERT INTO resource_hub_files (company_id, id, resource_hub_id, name, author_id, blob_id) VALUES ('c', 'x', 'h', 'a.txt', 'p', 'b');
  INSERT INTO public_links (company_id, token) VALUES ('c', 'shared'), ('c2', 'theirs');
  INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, name, content, author_id, state, current_version, published_at, public_token)
    VALUES ('c', 'd', 'h', 'Two', 'two', 'p', 'published', 2, now(), 'shared'), ('c', 'd1', 'h', 'One', 'one', 'p', 'published', 1, now(), NULL);
  INSERT INTO resource_hub_documents (company_id, id, resource_hub_id, name, content, author_id) VALUES ('c', 'draft', 'h', 'Draft', '', 'p');
  INSERT INTO document_versions (company_id, id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
    VALUES ('c', 'v1', 'd', 1, NULL, 'One', 'one', 'p', 'published'), ('c', 'v2', 'd', 2, 1, 'Two', 'two', 'p', 'edited'), ('c', 'w1', 'd1', 1, NULL, 'One', 'one', 'p', 'published');
  INSERT INTO activities (company_id, id, action, author_id, goal_id, name) VALUES ('c', 't', 'goal_closed', 'p', 'g', 'Grow');
  INSERT INTO comment_threads (company_id, id, activity_id) VALUES ('c', 'th', 't');
  INSERT INTO subscription_lists (company_id, id, thread_id) VALUES ('c', 'l', 'th');
  INSERT INTO subscriptions (company_id, subscription_list_id, person_id, type) VALUES ('c', 'l', 'p', 'joined');
  INSERT INTO notifications (company_id, activity_id, person_id) VALUES ('c', 't', 'q');
  INSERT INTO goal_progress_updates (company_id, id, goal_id, author_id, status) VALUES ('c', 'u', 'g', 'p', 'on_track');
  INSERT INTO comments (company_id, id, author_id, content, file_id) VALUES ('c', 'k', 'p', 'Nice', 'x');
  INSERT INTO reactions (company_id, person_id, emoji, file_id) VALUES ('c', 'p', '+', 'x');
  INSERT INTO token_companies (company_id, hash) VALUES ('c', sha256('1')), ('c2', sha256('2'));
  INSERT INTO api_tokens (company_id, person_id, name, hash, last_four) VALUES ('c', 'p', 'mine', sha256('1'), 'abcd')`;

beforeAll(async () => {
  await client.connect();
  await client.query(furniture);
});
beforeEach(async () => void (await client.query('BEGIN')));
afterAll(() => client.end());

/** Runs the SQL and its deferred checks, rolls back, and returns the constraint that refused it. */
async function attempt(sql: string): Promise<string> {
  try {
    await client.query(`${sql}; SET CONSTRAINTS ALL IMMEDIATE`);
    return 'stored';
  } catch (error) {
    return (error as pg.DatabaseError).constraint ?? String(error);
  } finally {
    await client.query('ROLLBACK');
  }
}

const version =
  'INSERT INTO document_versions (company_id, document_id, version_number, previous_version_number, title, content, editor_id, origin, restored_from_version_number) VALUES';
const bumpTo = (version: number, id = 'd') =>
  `UPDATE resource_hub_documents SET name = 'a', content = 'b', current_version = ${version} WHERE id = '${id}'`;
const bump = bumpTo(3);

// What must not be stored | by which constraint | the SQL that would store it.
const refused = `
  # The ladder.
  a public_level between the steps of the ladder in spaces | spaces_levels | UPDATE spaces SET public_level = 50
  a company_level between the steps of the ladder in spaces | spaces_levels | UPDATE spaces SET company_level = 50
  a space_level between the steps of the ladder in spaces | spaces_levels | UPDATE spaces SET space_level = 50
  a public_level between the steps of the ladder in projects | projects_levels | UPDATE projects SET public_level = 50
  a company_level between the steps of the ladder in projects | projects_levels | UPDATE projects SET company_level = 50
  a space_level between the steps of the ladder in projects | projects_levels | UPDATE projects SET space_level = 50
  # The company as the tenant.
  a grant to a person of another company | access_grants_company_id_person_id_fkey | UPDATE access_grants SET person_id = 'p2'
  a grant on a goal of another company | access_grants_company_id_goal_id_fkey | UPDATE access_grants SET goal_id = 'g2'
  a parent goal of another company | goals_company_id_parent_goal_id_fkey | UPDATE goals SET parent_goal_id = 'g2' WHERE id = 'g'
  a reviewer of another company | goals_company_id_reviewer_id_fkey | UPDATE goals SET reviewer_id = 'p2' WHERE id = 'g'
  a goal closed from another company | goals_company_id_closed_by_id_fkey | UPDATE goals SET closed_at = now(), success = true, closed_by_id = 'p2' WHERE id = 'g'
  a project for a goal of another company | projects_company_id_goal_id_fkey | UPDATE projects SET goal_id = 'g2' WHERE id = 'r'
  a project in a space of another company | projects_company_id_space_id_fkey | UPDATE projects SET space_id = 's2' WHERE id = 'r'
  a project champion of another company | projects_company_id_champion_id_fkey | UPDATE projects SET champion_id = 'p2' WHERE id = 'r'
  a hub of a project of another company | resource_hubs_company_id_project_id_fkey | UPDATE resource_hubs SET space_id = NULL, project_id = 'r2' WHERE id = 'h'
  # Goals.
  half an end date | goals_end_date | UPDATE goals SET end_date_type = 'day', end_date_value = 'May' WHERE id = 'g'
  a project without a name | projects_name | UPDATE projects SET name = '' WHERE id = 'r'
  # The resource hub.
  a folder without a name | resource_hub_folders_name | UPDATE resource_hub_folders SET name = ''
  a file without a name | resource_hub_files_name | UPDATE resource_hub_files SET name = ''
  # Documents and their versions.
  a document without a name | resource_hub_documents_name | UPDATE resource_hub_documents SET name = ''
  a document in a folder of another hub | resource_hub_documents_company_id_resource_hub_id_parent_f_fkey | UPDATE resource_hub_documents SET parent_folder_id = 'f1' WHERE id = 'd'
  a published document without a date | resource_hub_documents_published | UPDATE resource_hub_documents SET published_at = NULL WHERE id = 'd'
  a draft with a date | resource_hub_documents_published | UPDATE resource_hub_documents SET published_at = now() WHERE id = 'draft'
  two documents shared under one token | resource_hub_documents_company_id_public_token_key | UPDATE resource_hub_documents SET public_token = 'shared' WHERE id = 'd1'
  a version after another than the one before | document_versions_previous | ${bump}; ${version} ('c', 'd', 3, 1, 'a', 'b', 'p', 'edited', NULL)
  a first version with one before | document_versions_previous | UPDATE resource_hub_documents SET state = 'published', published_at = now(), current_version = 1 WHERE id = 'draft'; ${version} ('c', 'draft', 1, 0, 'a', 'b', 'p', 'edited', NULL)
  a version restored from itself | document_versions_restored_from | ${bump}; ${version} ('c', 'd', 3, 2, 'a', 'b', 'p', 'restored', 3)
  a version restored from one that does not exist | document_versions_company_id_document_id_restored_from_ver_fkey | ${bumpTo(2, 'd1')}; ${version} ('c', 'd1', 2, 1, 'a', 'b', 'p', 'restored', 0)
  a changed version | document_versions_append_only | UPDATE document_versions SET title = 'x'
  a removed version | document_versions_append_only | DELETE FROM document_versions WHERE id = 'v2'
  an emptied history | document_versions_append_only | TRUNCATE document_versions CASCADE
  a removed document with versions | document_versions_company_id_document_id_fkey | DELETE FROM resource_hub_documents WHERE id = 'd'
  # What people say, follow and are told.
  a goal that was closed and undid an outcome | activities_undone_outcome | INSERT INTO activities (company_id, action, author_id, goal_id, name, undone_success, undone_closed_at) VALUES ('c', 'goal_closed', 'p', 'g', 'Name', true, now())
  an undone outcome that is neither success nor failure | activities_undone_outcome | INSERT INTO activities (company_id, action, author_id, goal_id, name, undone_closed_at) VALUES ('c', 'goal_reopened', 'p', 'g', 'Name', now())
  an undone outcome without its time | activities_undone_outcome | INSERT INTO activities (company_id, action, author_id, goal_id, name, undone_success) VALUES ('c', 'goal_reopened', 'p', 'g', 'Name', true)
  an undone outcome of a person alone | activities_undone_outcome | INSERT INTO activities (company_id, action, author_id, goal_id, name, undone_closed_by_id) VALUES ('c', 'goal_reopened', 'p', 'g', 'Name', 'p')
  a restore that made no version | activities_restored_version | INSERT INTO activities (company_id, action, author_id, document_id, name) VALUES ('c', 'document_version_restored', 'p', 'd', 'Name')
  an edit that names a restored version | activities_restored_version | INSERT INTO activities (company_id, action, author_id, document_id, document_version_id, name) VALUES ('c', 'resource_hub_document_edited', 'p', 'd', 'v2', 'Name')
  a second thread of an activity | comment_threads_company_id_activity_id_key | INSERT INTO comment_threads (company_id, activity_id) VALUES ('c', 't')
  a reaction to nothing | reactions_one_subject | UPDATE reactions SET file_id = NULL
  a reaction to two things | reactions_one_subject | UPDATE reactions SET comment_id = 'k'
  a list of nothing | subscription_lists_one_parent | INSERT INTO subscription_lists (company_id) VALUES ('c')
  a list of two things | subscription_lists_one_parent | UPDATE subscription_lists SET file_id = 'x'
  a second list of a thread | subscription_lists_company_id_thread_id_key | INSERT INTO subscription_lists (company_id, thread_id) VALUES ('c', 'th')
  # Tokens.
  a token in the clear | api_tokens_hash | UPDATE api_tokens SET hash = 'gp_secret'
  more than the last four characters of a token | api_tokens_last_four | UPDATE api_tokens SET last_four = 'abcde'
  two tokens with one hash | api_tokens_company_id_hash_key | INSERT INTO api_tokens (company_id, person_id, name, hash, last_four) VALUES ('c', 'q', 'b', sha256('1'), 'abcd')
  # Nobody of another company, anywhere.
  one token of two companies | token_companies_pkey | INSERT INTO token_companies (company_id, hash) VALUES ('c', sha256('2'))
  a token without its company | api_tokens_company_id_hash_fkey | INSERT INTO api_tokens (company_id, person_id, name, hash, last_four) VALUES ('c', 'q', 'b', sha256('2'), 'abcd')
  a file by a person of another company | resource_hub_files_company_id_author_id_fkey | UPDATE resource_hub_files SET author_id = 'p2'
  a file deleted from another company | resource_hub_files_company_id_deleted_by_id_fkey | UPDATE resource_hub_files SET deleted_at = now(), deleted_by_id = 'p2'
  a document by a person of another company | resource_hub_documents_company_id_author_id_fkey | UPDATE resource_hub_documents SET author_id = 'p2' WHERE id = 'd'
  a version by a person of another company | document_versions_company_id_editor_id_fkey | ${bump}; ${version} ('c', 'd', 3, 2, 'a', 'b', 'p2', 'edited', NULL)
  a check-in by a person of another company | goal_progress_updates_company_id_author_id_fkey | UPDATE goal_progress_updates SET author_id = 'p2'
  a check-in acknowledged from another company | goal_progress_updates_company_id_acknowledged_by_id_fkey | UPDATE goal_progress_updates SET acknowledged_at = now(), acknowledged_by_id = 'p2'
  a retrospective by a person of another company | goal_retrospectives_company_id_author_id_fkey | INSERT INTO goal_retrospectives (company_id, goal_id, author_id, title, content) VALUES ('c', 'g', 'p2', 'a', 'b')
  an activity by a person of another company | activities_company_id_author_id_fkey | UPDATE activities SET author_id = 'p2'
  a reaction by a person of another company | reactions_company_id_person_id_fkey | UPDATE reactions SET person_id = 'p2'
  a subscriber of another company | subscriptions_company_id_person_id_fkey | UPDATE subscriptions SET person_id = 'p2'
  a restore that made a version of another document | activities_company_id_document_id_document_version_id_fkey | INSERT INTO activities (company_id, action, author_id, document_id, document_version_id, name) VALUES ('c', 'document_version_restored', 'p', 'd', 'w1', 'Name')
`
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' | '));

test.each(refused)('the database itself refuses %s: %s', async (_, constraint = '', sql = '') => {
  const outcome = await attempt(sql);
  if (constraint === 'a constraint') expect(outcome).not.toBe('stored');
  else expect(constraint.split(' or ')).toContain(outcome);
});
