-- The structure of a Goalpost database. Every table of a company starts its keys with the company, so that a row can only
-- refer to rows of its own company, and one company's rows can be kept together wherever they are.

-- Ids of new rows: UUIDv7 (RFC 9562), so that they sort by time on every supported Postgres version.
CREATE FUNCTION new_id() RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid::text
$$;

-- Foreign keys between rows of one table, and the one from a document to its current version, are checked when the
-- transaction ends: the rows of one import may come in any order.

-- ── Companies, people and their tokens ──────────────────────────────────────────────────────────────────────────────

CREATE TABLE companies (
  id text NOT NULL DEFAULT new_id(),
  name text NOT NULL,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_sequence bigint NOT NULL DEFAULT 0,
  CONSTRAINT companies_pkey PRIMARY KEY (id)
);

CREATE TYPE person_type AS ENUM ('human', 'guest', 'ai');

CREATE TABLE people (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  full_name text NOT NULL,
  title text,
  email text,
  avatar_url text,
  type person_type NOT NULL DEFAULT 'human',
  is_owner boolean NOT NULL DEFAULT false,
  suspended_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT people_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT people_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT
);

-- All that is found without a company: the company of a token, and of a public link. Small, and apart from the tables of
-- companies, so that a database of many nodes can keep a copy on each.
CREATE TABLE token_companies (
  company_id text NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT token_companies_pkey PRIMARY KEY (hash),
  CONSTRAINT token_companies_company_id_hash_key UNIQUE (company_id, hash)
);

CREATE TABLE api_tokens (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  person_id text NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  last_four text NOT NULL,
  can_write boolean NOT NULL DEFAULT false,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT api_tokens_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT api_tokens_company_id_hash_key UNIQUE (company_id, hash),
  CONSTRAINT api_tokens_company_id_person_id_fkey
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT api_tokens_company_id_hash_fkey
    FOREIGN KEY (company_id, hash) REFERENCES token_companies (company_id, hash) ON DELETE RESTRICT,
  CONSTRAINT api_tokens_hash CHECK (length(hash) = 32),
  CONSTRAINT api_tokens_last_four CHECK (length(last_four) = 4)
);
CREATE INDEX api_tokens_company_id_person_id_idx ON api_tokens (company_id, person_id);

CREATE TABLE idempotency_keys (
  company_id text NOT NULL,
  token_id text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  result text NOT NULL,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (company_id, token_id, operation, key),
  CONSTRAINT idempotency_keys_company_id_token_id_fkey
    FOREIGN KEY (company_id, token_id) REFERENCES api_tokens (company_id, id) ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_company_id_expires_at_idx ON idempotency_keys (company_id, expires_at);

-- Unlogged: the counts of the last minute are not worth writing to disk twice, and may be lost in a crash.
CREATE UNLOGGED TABLE rate_limits (
  key varchar(255) NOT NULL,
  points integer NOT NULL DEFAULT 0,
  expire bigint,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
);

-- ── Spaces, goals and projects ──────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE spaces (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  name text NOT NULL,
  mission text,
  is_company_space boolean NOT NULL DEFAULT false,
  public_level integer NOT NULL DEFAULT 0,
  company_level integer NOT NULL DEFAULT 70,
  space_level integer NOT NULL DEFAULT 100,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT spaces_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT spaces_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT,
  CONSTRAINT spaces_levels
    CHECK (
      public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100)
      AND space_level IN (0, 10, 40, 70, 100)
    )
);

CREATE TABLE space_members (
  company_id text NOT NULL,
  space_id text NOT NULL,
  person_id text NOT NULL,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT space_members_pkey PRIMARY KEY (company_id, space_id, person_id),
  CONSTRAINT space_members_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE CASCADE,
  CONSTRAINT space_members_company_id_person_id_fkey
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE CASCADE
);
CREATE INDEX space_members_company_id_person_id_idx ON space_members (company_id, person_id);

CREATE TYPE contextual_date_type AS ENUM ('day', 'month', 'quarter', 'year');

CREATE TABLE goals (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  space_id text NOT NULL,
  parent_goal_id text,
  name text NOT NULL,
  description text,
  champion_id text,
  reviewer_id text,
  start_date_type contextual_date_type,
  start_date_value text,
  start_date date,
  end_date_type contextual_date_type,
  end_date_value text,
  end_date date,
  public_level integer NOT NULL DEFAULT 0,
  company_level integer NOT NULL DEFAULT 70,
  space_level integer NOT NULL DEFAULT 100,
  next_update_scheduled_at timestamptz(3),
  closed_at timestamptz(3),
  closed_by_id text,
  success boolean,
  archived_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT goals_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT goals_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT goals_company_id_parent_goal_id_fkey
    FOREIGN KEY (company_id, parent_goal_id) REFERENCES goals (company_id, id) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT goals_company_id_champion_id_fkey
    FOREIGN KEY (company_id, champion_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT goals_company_id_reviewer_id_fkey
    FOREIGN KEY (company_id, reviewer_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT goals_company_id_closed_by_id_fkey
    FOREIGN KEY (company_id, closed_by_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT goals_name CHECK (name <> ''),
  CONSTRAINT goals_levels
    CHECK (
      public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100)
      AND space_level IN (0, 10, 40, 70, 100)
    ),
  CONSTRAINT goals_parent CHECK (parent_goal_id <> id),
  CONSTRAINT goals_closed
    CHECK ((closed_at IS NULL) = (success IS NULL) AND (closed_at IS NOT NULL OR closed_by_id IS NULL)),
  CONSTRAINT goals_start_date CHECK (num_nonnulls(start_date_type, start_date_value, start_date) IN (0, 3)),
  CONSTRAINT goals_end_date CHECK (num_nonnulls(end_date_type, end_date_value, end_date) IN (0, 3))
);
CREATE INDEX goals_company_id_parent_goal_id_idx ON goals (company_id, parent_goal_id);
CREATE INDEX goals_company_id_champion_id_idx ON goals (company_id, champion_id);
CREATE INDEX goals_company_id_reviewer_id_idx ON goals (company_id, reviewer_id);
CREATE INDEX goals_company_id_closed_by_id_idx ON goals (company_id, closed_by_id);

CREATE TABLE targets (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  goal_id text NOT NULL,
  index integer NOT NULL,
  name text NOT NULL,
  "from" double precision NOT NULL,
  "to" double precision NOT NULL,
  unit text,
  value double precision NOT NULL,
  CONSTRAINT targets_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT targets_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE
);
CREATE INDEX targets_company_id_goal_id_index_idx ON targets (company_id, goal_id, index);

CREATE TABLE goal_checks (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  goal_id text NOT NULL,
  index integer NOT NULL,
  name text NOT NULL,
  completed boolean NOT NULL DEFAULT false,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT goal_checks_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT goal_checks_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE
);
CREATE INDEX goal_checks_company_id_goal_id_index_idx ON goal_checks (company_id, goal_id, index);

CREATE TYPE progress_status AS ENUM ('pending', 'on_track', 'caution', 'off_track', 'paused');

CREATE TABLE goal_progress_updates (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  goal_id text NOT NULL,
  author_id text NOT NULL,
  status progress_status NOT NULL,
  message text,
  acknowledged_at timestamptz(3),
  acknowledged_by_id text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT goal_progress_updates_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT goal_progress_updates_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE,
  CONSTRAINT goal_progress_updates_company_id_author_id_fkey
    FOREIGN KEY (company_id, author_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT goal_progress_updates_company_id_acknowledged_by_id_fkey
    FOREIGN KEY (company_id, acknowledged_by_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT goal_progress_updates_acknowledged CHECK ((acknowledged_at IS NULL) = (acknowledged_by_id IS NULL))
);
CREATE INDEX goal_progress_updates_company_id_goal_id_inserted_at_id_idx
  ON goal_progress_updates (company_id, goal_id, inserted_at DESC, id DESC);
CREATE INDEX goal_progress_updates_company_id_author_id_idx ON goal_progress_updates (company_id, author_id);
CREATE INDEX goal_progress_updates_company_id_acknowledged_by_id_idx
  ON goal_progress_updates (company_id, acknowledged_by_id);

CREATE TABLE goal_retrospectives (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  goal_id text NOT NULL,
  author_id text NOT NULL,
  title text NOT NULL,
  content text NOT NULL,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT goal_retrospectives_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT goal_retrospectives_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE,
  CONSTRAINT goal_retrospectives_company_id_author_id_fkey
    FOREIGN KEY (company_id, author_id) REFERENCES people (company_id, id) ON DELETE RESTRICT
);
CREATE INDEX goal_retrospectives_company_id_goal_id_inserted_at_id_idx
  ON goal_retrospectives (company_id, goal_id, inserted_at DESC, id DESC);
CREATE INDEX goal_retrospectives_company_id_author_id_idx ON goal_retrospectives (company_id, author_id);

CREATE TABLE projects (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  space_id text NOT NULL,
  goal_id text,
  name text NOT NULL,
  description text,
  status progress_status NOT NULL DEFAULT 'pending',
  champion_id text,
  reviewer_id text,
  public_level integer NOT NULL DEFAULT 0,
  company_level integer NOT NULL DEFAULT 70,
  space_level integer NOT NULL DEFAULT 100,
  closed_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT projects_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT projects_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_company_id_champion_id_fkey
    FOREIGN KEY (company_id, champion_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_company_id_reviewer_id_fkey
    FOREIGN KEY (company_id, reviewer_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_name CHECK (name <> ''),
  CONSTRAINT projects_levels
    CHECK (
      public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100)
      AND space_level IN (0, 10, 40, 70, 100)
    )
);
CREATE INDEX projects_company_id_space_id_idx ON projects (company_id, space_id);
CREATE INDEX projects_company_id_goal_id_idx ON projects (company_id, goal_id);
CREATE INDEX projects_company_id_champion_id_idx ON projects (company_id, champion_id);
CREATE INDEX projects_company_id_reviewer_id_idx ON projects (company_id, reviewer_id);

CREATE TABLE access_grants (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  person_id text NOT NULL,
  space_id text,
  goal_id text,
  project_id text,
  level integer NOT NULL,
  CONSTRAINT access_grants_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT access_grants_company_id_project_id_person_id_key UNIQUE (company_id, project_id, person_id),
  CONSTRAINT access_grants_company_id_goal_id_person_id_key UNIQUE (company_id, goal_id, person_id),
  CONSTRAINT access_grants_company_id_space_id_person_id_key UNIQUE (company_id, space_id, person_id),
  CONSTRAINT access_grants_company_id_person_id_fkey
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE CASCADE,
  CONSTRAINT access_grants_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE CASCADE,
  CONSTRAINT access_grants_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE,
  CONSTRAINT access_grants_company_id_project_id_fkey
    FOREIGN KEY (company_id, project_id) REFERENCES projects (company_id, id) ON DELETE CASCADE,
  CONSTRAINT access_grants_one_resource CHECK (num_nonnulls(space_id, goal_id, project_id) = 1),
  CONSTRAINT access_grants_level CHECK (level IN (0, 10, 40, 70, 100))
);
CREATE INDEX access_grants_company_id_person_id_idx ON access_grants (company_id, person_id);

-- ── Resource hubs ───────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE resource_hubs (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  space_id text,
  goal_id text,
  project_id text,
  name text NOT NULL,
  description text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT resource_hubs_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT resource_hubs_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hubs_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hubs_company_id_project_id_fkey
    FOREIGN KEY (company_id, project_id) REFERENCES projects (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hubs_one_parent CHECK (num_nonnulls(space_id, goal_id, project_id) = 1)
);
CREATE INDEX resource_hubs_company_id_space_id_idx ON resource_hubs (company_id, space_id);
CREATE INDEX resource_hubs_company_id_goal_id_idx ON resource_hubs (company_id, goal_id);
CREATE INDEX resource_hubs_company_id_project_id_idx ON resource_hubs (company_id, project_id);

CREATE TABLE resource_hub_folders (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  resource_hub_id text NOT NULL,
  parent_folder_id text,
  name text NOT NULL,
  description text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT resource_hub_folders_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT resource_hub_folders_company_id_resource_hub_id_id_key UNIQUE (company_id, resource_hub_id, id),
  CONSTRAINT resource_hub_folders_company_id_resource_hub_id_fkey
    FOREIGN KEY (company_id, resource_hub_id) REFERENCES resource_hubs (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_folders_company_id_resource_hub_id_parent_fol_fkey
    FOREIGN KEY (company_id, resource_hub_id, parent_folder_id) REFERENCES resource_hub_folders (company_id, resource_hub_id, id) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT resource_hub_folders_name CHECK (name <> '')
);
CREATE INDEX resource_hub_folders_company_id_resource_hub_id_parent_fold_idx
  ON resource_hub_folders (company_id, resource_hub_id, parent_folder_id);

CREATE TYPE blob_status AS ENUM ('pending', 'uploaded', 'deleted');

CREATE TABLE blobs (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  status blob_status NOT NULL DEFAULT 'uploaded',
  filename text NOT NULL,
  size bigint NOT NULL,
  content_type text NOT NULL,
  width integer,
  height integer,
  url text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT blobs_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT blobs_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT,
  CONSTRAINT blobs_size CHECK (size BETWEEN 0 AND 9007199254740991),
  CONSTRAINT blobs_dimensions CHECK (width > 0 AND height > 0)
);

CREATE TABLE resource_hub_files (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  resource_hub_id text NOT NULL,
  parent_folder_id text,
  name text NOT NULL,
  description text,
  author_id text NOT NULL,
  blob_id text NOT NULL,
  deleted_at timestamptz(3),
  deleted_by_id text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT resource_hub_files_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT resource_hub_files_company_id_blob_id_key UNIQUE (company_id, blob_id),
  CONSTRAINT resource_hub_files_company_id_resource_hub_id_fkey
    FOREIGN KEY (company_id, resource_hub_id) REFERENCES resource_hubs (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_files_company_id_resource_hub_id_parent_folde_fkey
    FOREIGN KEY (company_id, resource_hub_id, parent_folder_id) REFERENCES resource_hub_folders (company_id, resource_hub_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_files_company_id_author_id_fkey
    FOREIGN KEY (company_id, author_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_files_company_id_deleted_by_id_fkey
    FOREIGN KEY (company_id, deleted_by_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_files_company_id_blob_id_fkey
    FOREIGN KEY (company_id, blob_id) REFERENCES blobs (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_files_name CHECK (name <> ''),
  CONSTRAINT resource_hub_files_deleted CHECK (deleted_at IS NOT NULL OR deleted_by_id IS NULL)
);
CREATE INDEX resource_hub_files_company_id_resource_hub_id_parent_folder_idx
  ON resource_hub_files (company_id, resource_hub_id, parent_folder_id);
CREATE INDEX resource_hub_files_company_id_author_id_idx ON resource_hub_files (company_id, author_id);
CREATE INDEX resource_hub_files_company_id_deleted_by_id_idx ON resource_hub_files (company_id, deleted_by_id);

CREATE TABLE public_links (
  company_id text NOT NULL,
  token text NOT NULL,
  CONSTRAINT public_links_pkey PRIMARY KEY (token),
  CONSTRAINT public_links_company_id_token_key UNIQUE (company_id, token)
);

CREATE TYPE document_state AS ENUM ('draft', 'published');

CREATE TABLE resource_hub_documents (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  resource_hub_id text NOT NULL,
  parent_folder_id text,
  name text NOT NULL,
  content text NOT NULL,
  author_id text NOT NULL,
  state document_state NOT NULL DEFAULT 'draft',
  current_version integer,
  public_token text,
  published_at timestamptz(3),
  deleted_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT resource_hub_documents_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT resource_hub_documents_company_id_public_token_key UNIQUE (company_id, public_token),
  CONSTRAINT resource_hub_documents_company_id_resource_hub_id_fkey
    FOREIGN KEY (company_id, resource_hub_id) REFERENCES resource_hubs (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_documents_company_id_resource_hub_id_parent_f_fkey
    FOREIGN KEY (company_id, resource_hub_id, parent_folder_id) REFERENCES resource_hub_folders (company_id, resource_hub_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_documents_company_id_author_id_fkey
    FOREIGN KEY (company_id, author_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_documents_company_id_public_token_fkey
    FOREIGN KEY (company_id, public_token) REFERENCES public_links (company_id, token) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_documents_name CHECK (name <> ''),
  CONSTRAINT resource_hub_documents_draft CHECK ((state = 'draft') = (current_version IS NULL)),
  CONSTRAINT resource_hub_documents_published CHECK ((state = 'draft') = (published_at IS NULL)),
  CONSTRAINT resource_hub_documents_public CHECK (public_token IS NULL OR state = 'published')
);
CREATE INDEX resource_hub_documents_company_id_resource_hub_id_parent_fo_idx
  ON resource_hub_documents (company_id, resource_hub_id, parent_folder_id);
CREATE INDEX resource_hub_documents_company_id_author_id_idx ON resource_hub_documents (company_id, author_id);

CREATE TYPE version_origin AS ENUM ('published', 'edited', 'restored');

CREATE TABLE document_versions (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  document_id text NOT NULL,
  version_number integer NOT NULL,
  previous_version_number integer,
  title text NOT NULL,
  content text NOT NULL,
  editor_id text NOT NULL,
  origin version_origin NOT NULL,
  restored_from_version_number integer,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT document_versions_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT document_versions_company_id_document_id_version_number_key UNIQUE (company_id, document_id, version_number),
  CONSTRAINT document_versions_company_id_document_id_id_key UNIQUE (company_id, document_id, id),
  CONSTRAINT document_versions_company_id_document_id_fkey
    FOREIGN KEY (company_id, document_id) REFERENCES resource_hub_documents (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT document_versions_company_id_document_id_previous_version__fkey
    FOREIGN KEY (company_id, document_id, previous_version_number) REFERENCES document_versions (company_id, document_id, version_number) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT document_versions_company_id_document_id_restored_from_ver_fkey
    FOREIGN KEY (company_id, document_id, restored_from_version_number) REFERENCES document_versions (company_id, document_id, version_number) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT document_versions_company_id_editor_id_fkey
    FOREIGN KEY (company_id, editor_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT document_versions_number CHECK (version_number > 0),
  CONSTRAINT document_versions_title CHECK (title <> ''),
  CONSTRAINT document_versions_previous
    CHECK (previous_version_number IS NOT DISTINCT FROM nullif(version_number - 1, 0)),
  CONSTRAINT document_versions_restored CHECK ((origin = 'restored') = (restored_from_version_number IS NOT NULL)),
  CONSTRAINT document_versions_restored_from CHECK (restored_from_version_number < version_number)
);
CREATE INDEX document_versions_company_id_editor_id_idx ON document_versions (company_id, editor_id);

ALTER TABLE resource_hub_documents ADD CONSTRAINT resource_hub_documents_company_id_id_current_version_fkey
  FOREIGN KEY (company_id, id, current_version) REFERENCES document_versions (company_id, document_id, version_number) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

-- ── Activities, comments, subscriptions and notifications ───────────────────────────────────────────────────────────

CREATE TYPE activity_action AS ENUM (
  'goal_created', 'goal_closed', 'goal_reopened',
  'resource_hub_file_created', 'resource_hub_file_deleted',
  'resource_hub_document_created', 'resource_hub_document_edited',
  'document_version_restored', 'resource_hub_file_recovered'
);

CREATE TABLE activities (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  action activity_action NOT NULL,
  author_id text NOT NULL,
  goal_id text,
  file_id text,
  document_id text,
  document_version_id text,
  name text NOT NULL,
  undone_success boolean,
  undone_closed_at timestamptz(3),
  undone_closed_by_id text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  recorded_at timestamptz(6),
  sequence bigint,
  CONSTRAINT activities_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT activities_company_id_author_id_fkey
    FOREIGN KEY (company_id, author_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_company_id_file_id_fkey
    FOREIGN KEY (company_id, file_id) REFERENCES resource_hub_files (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_company_id_document_id_fkey
    FOREIGN KEY (company_id, document_id) REFERENCES resource_hub_documents (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_company_id_document_id_document_version_id_fkey
    FOREIGN KEY (company_id, document_id, document_version_id) REFERENCES document_versions (company_id, document_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_company_id_undone_closed_by_id_fkey
    FOREIGN KEY (company_id, undone_closed_by_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_one_subject CHECK (num_nonnulls(goal_id, file_id, document_id) = 1),
  CONSTRAINT activities_subject_of_action CHECK (CASE
    WHEN action IN ('goal_created', 'goal_closed', 'goal_reopened') THEN goal_id IS NOT NULL
    WHEN action IN ('resource_hub_file_created', 'resource_hub_file_deleted', 'resource_hub_file_recovered') THEN file_id IS NOT NULL
    ELSE document_id IS NOT NULL END),
  CONSTRAINT activities_restored_version
    CHECK ((action = 'document_version_restored') = (document_version_id IS NOT NULL)),
  CONSTRAINT activities_undone_outcome
    CHECK (
      (action = 'goal_reopened' OR undone_closed_at IS NULL)
      AND (undone_closed_at IS NULL) = (undone_success IS NULL)
      AND (undone_closed_at IS NOT NULL OR undone_closed_by_id IS NULL)
    )
);
CREATE INDEX activities_company_id_goal_id_inserted_at_id_idx
  ON activities (company_id, goal_id, inserted_at DESC, id DESC);
CREATE INDEX activities_company_id_file_id_inserted_at_id_idx
  ON activities (company_id, file_id, inserted_at DESC, id DESC);
CREATE INDEX activities_company_id_document_id_inserted_at_id_idx
  ON activities (company_id, document_id, inserted_at DESC, id DESC);
CREATE INDEX activities_company_id_author_id_idx ON activities (company_id, author_id);
CREATE INDEX activities_company_id_undone_closed_by_id_idx ON activities (company_id, undone_closed_by_id);
-- Each activity is in one of these: it waits for its number, which it gets after its transaction has committed, or has it.
CREATE UNIQUE INDEX activities_numbered ON activities (company_id, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX activities_waiting ON activities (company_id, recorded_at, id) WHERE sequence IS NULL;

-- The order in which changes of one record were made, whatever wrote them. The default of a column could not say it: now()
-- is when a transaction began, which then may have waited for another change of the record, and Citus collects the rows
-- of a statement with a default that is not constant.
CREATE FUNCTION record_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.recorded_at := clock_timestamp();
  IF NEW.inserted_at = CURRENT_TIMESTAMP::timestamptz(3) THEN
    NEW.inserted_at := NEW.recorded_at;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER activities_recorded
  BEFORE INSERT ON activities FOR EACH ROW WHEN (NEW.recorded_at IS NULL) EXECUTE FUNCTION record_activity();

CREATE TABLE comment_threads (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  activity_id text NOT NULL,
  message text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT comment_threads_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT comment_threads_company_id_activity_id_key UNIQUE (company_id, activity_id),
  CONSTRAINT comment_threads_company_id_activity_id_fkey
    FOREIGN KEY (company_id, activity_id) REFERENCES activities (company_id, id) ON DELETE RESTRICT
);

CREATE TABLE comments (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  author_id text NOT NULL,
  content text NOT NULL,
  thread_id text,
  progress_update_id text,
  retrospective_id text,
  file_id text,
  document_id text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at timestamptz(3),
  CONSTRAINT comments_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT comments_company_id_author_id_fkey
    FOREIGN KEY (company_id, author_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT comments_company_id_thread_id_fkey
    FOREIGN KEY (company_id, thread_id) REFERENCES comment_threads (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT comments_company_id_progress_update_id_fkey
    FOREIGN KEY (company_id, progress_update_id) REFERENCES goal_progress_updates (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT comments_company_id_retrospective_id_fkey
    FOREIGN KEY (company_id, retrospective_id) REFERENCES goal_retrospectives (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT comments_company_id_file_id_fkey
    FOREIGN KEY (company_id, file_id) REFERENCES resource_hub_files (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT comments_company_id_document_id_fkey
    FOREIGN KEY (company_id, document_id) REFERENCES resource_hub_documents (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT comments_one_subject
    CHECK (num_nonnulls(thread_id, progress_update_id, retrospective_id, file_id, document_id) = 1)
);
CREATE INDEX comments_company_id_author_id_idx ON comments (company_id, author_id);
CREATE INDEX comments_company_id_thread_id_idx ON comments (company_id, thread_id);
CREATE INDEX comments_company_id_progress_update_id_idx ON comments (company_id, progress_update_id);
CREATE INDEX comments_company_id_retrospective_id_idx ON comments (company_id, retrospective_id);
CREATE INDEX comments_company_id_file_id_idx ON comments (company_id, file_id);
CREATE INDEX comments_company_id_document_id_idx ON comments (company_id, document_id);

CREATE TABLE reactions (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  emoji text NOT NULL,
  person_id text NOT NULL,
  comment_id text,
  progress_update_id text,
  file_id text,
  document_id text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT reactions_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT reactions_company_id_document_id_person_id_emoji_key UNIQUE (company_id, document_id, person_id, emoji),
  CONSTRAINT reactions_company_id_file_id_person_id_emoji_key UNIQUE (company_id, file_id, person_id, emoji),
  CONSTRAINT reactions_company_id_progress_update_id_person_id_emoji_key UNIQUE (company_id, progress_update_id, person_id, emoji),
  CONSTRAINT reactions_company_id_comment_id_person_id_emoji_key UNIQUE (company_id, comment_id, person_id, emoji),
  CONSTRAINT reactions_company_id_person_id_fkey
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT reactions_company_id_comment_id_fkey
    FOREIGN KEY (company_id, comment_id) REFERENCES comments (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT reactions_company_id_progress_update_id_fkey
    FOREIGN KEY (company_id, progress_update_id) REFERENCES goal_progress_updates (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT reactions_company_id_file_id_fkey
    FOREIGN KEY (company_id, file_id) REFERENCES resource_hub_files (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT reactions_company_id_document_id_fkey
    FOREIGN KEY (company_id, document_id) REFERENCES resource_hub_documents (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT reactions_one_subject CHECK (num_nonnulls(comment_id, progress_update_id, file_id, document_id) = 1)
);
CREATE INDEX reactions_company_id_person_id_idx ON reactions (company_id, person_id);

CREATE TABLE subscription_lists (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  send_to_everyone boolean NOT NULL DEFAULT false,
  thread_id text,
  file_id text,
  document_id text,
  CONSTRAINT subscription_lists_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT subscription_lists_company_id_document_id_key UNIQUE (company_id, document_id),
  CONSTRAINT subscription_lists_company_id_file_id_key UNIQUE (company_id, file_id),
  CONSTRAINT subscription_lists_company_id_thread_id_key UNIQUE (company_id, thread_id),
  CONSTRAINT subscription_lists_company_id_thread_id_fkey
    FOREIGN KEY (company_id, thread_id) REFERENCES comment_threads (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT subscription_lists_company_id_file_id_fkey
    FOREIGN KEY (company_id, file_id) REFERENCES resource_hub_files (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT subscription_lists_company_id_document_id_fkey
    FOREIGN KEY (company_id, document_id) REFERENCES resource_hub_documents (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT subscription_lists_one_parent CHECK (num_nonnulls(thread_id, file_id, document_id) = 1)
);

CREATE TYPE subscription_type AS ENUM ('invited', 'joined', 'mentioned');

CREATE TABLE subscriptions (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  subscription_list_id text NOT NULL,
  person_id text NOT NULL,
  type subscription_type NOT NULL,
  canceled boolean NOT NULL DEFAULT false,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT subscriptions_company_id_subscription_list_id_person_id_key UNIQUE (company_id, subscription_list_id, person_id),
  CONSTRAINT subscriptions_company_id_subscription_list_id_fkey
    FOREIGN KEY (company_id, subscription_list_id) REFERENCES subscription_lists (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT subscriptions_company_id_person_id_fkey
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE RESTRICT
);
CREATE INDEX subscriptions_company_id_person_id_idx ON subscriptions (company_id, person_id);

CREATE TABLE notifications (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  person_id text NOT NULL,
  activity_id text NOT NULL,
  read_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT notifications_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT notifications_company_id_activity_id_person_id_key UNIQUE (company_id, activity_id, person_id),
  CONSTRAINT notifications_company_id_person_id_fkey
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT notifications_company_id_activity_id_fkey
    FOREIGN KEY (company_id, activity_id) REFERENCES activities (company_id, id) ON DELETE RESTRICT
);

-- ── Webhooks ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What changes in its order: the next event of a record waits until the one before has arrived.
CREATE FUNCTION record_of(goal_id text, file_id text, document_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce('goal ' || goal_id, 'file ' || file_id, 'document ' || document_id)
$$;
CREATE INDEX activities_of_record ON activities (company_id, record_of(goal_id, file_id, document_id), sequence)
  WHERE sequence IS NOT NULL;

-- Up to its position, each event of the company has arrived, is not wanted, or is kept in webhook_retries. Those up to
-- `attempted` may have been sent. One gateway at a time delivers, the holder of the lease; an epoch begins when the
-- position is moved by an owner, and ends what the holder still has in hand. All times are by the database's clock.
CREATE TABLE webhooks (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  slot integer NOT NULL,
  url text NOT NULL,
  actions activity_action[] DEFAULT ARRAY[]::activity_action[],
  generation integer NOT NULL DEFAULT 1,
  previous_until timestamptz(3)[] DEFAULT ARRAY[]::timestamptz(3)[],
  position bigint NOT NULL DEFAULT 0,
  attempted bigint NOT NULL DEFAULT 0,
  epoch integer NOT NULL DEFAULT 1,
  failures integer NOT NULL DEFAULT 0,
  waits integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  wait_until timestamptz(3),
  disabled_at timestamptz(3),
  disabled_reason text,
  lease_id text,
  lease_until timestamptz(3),
  due_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhooks_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT webhooks_company_id_slot_key UNIQUE (company_id, slot),
  CONSTRAINT webhooks_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT,
  -- At most 20 for a company, however many are made at the same time.
  CONSTRAINT webhooks_slot CHECK (slot BETWEEN 1 AND 20),
  CONSTRAINT webhooks_url CHECK (length(url) BETWEEN 1 AND 2048),
  CONSTRAINT webhooks_actions CHECK (actions IS NOT NULL),
  -- Of the secrets before this one, the newest first: so many sign a request at most.
  CONSTRAINT webhooks_previous_until CHECK (previous_until IS NOT NULL AND cardinality(previous_until) <= 5 AND array_position(previous_until, NULL) IS NULL),
  CONSTRAINT webhooks_counts
    CHECK (generation > 0 AND position >= 0 AND attempted >= 0 AND epoch > 0 AND failures >= 0 AND waits >= 0),
  CONSTRAINT webhooks_disabled CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  CONSTRAINT webhooks_disabled_reason CHECK (disabled_reason IN ('owner', 'operator', 'gone', 'failing')),
  CONSTRAINT webhooks_lease CHECK ((lease_id IS NULL) = (lease_until IS NULL))
);
-- What every gateway looks for each second: work that is due, and what the dead have left.
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhooks_leased ON webhooks (lease_until) WHERE lease_until IS NOT NULL;

-- The oldest event of a record that has not arrived; the record's later ones, up to the webhook's position, wait behind
-- it. Or what an owner asked to have sent once, which nothing waits behind: an event again, or a ping, without a sequence.
CREATE TABLE webhook_retries (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  webhook_id text NOT NULL,
  record text NOT NULL,
  once boolean NOT NULL DEFAULT false,
  sequence bigint,
  failures integer NOT NULL DEFAULT 0,
  attempted bigint NOT NULL DEFAULT 0,
  due_at timestamptz(3) NOT NULL,
  CONSTRAINT webhook_retries_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT webhook_retries_company_id_webhook_id_record_key UNIQUE (company_id, webhook_id, record),
  CONSTRAINT webhook_retries_company_id_webhook_id_fkey
    FOREIGN KEY (company_id, webhook_id) REFERENCES webhooks (company_id, id) ON DELETE CASCADE,
  CONSTRAINT webhook_retries_sequence CHECK (once OR sequence IS NOT NULL),
  CONSTRAINT webhook_retries_counts CHECK (failures >= 0 AND attempted >= 0)
);
CREATE INDEX webhook_retries_company_id_webhook_id_due_at_idx ON webhook_retries (company_id, webhook_id, due_at);
CREATE INDEX webhook_retries_company_id_webhook_id_sequence_idx ON webhook_retries (company_id, webhook_id, sequence);

-- The log of what was sent, for WEBHOOK_LOG_DAYS.
CREATE TABLE webhook_attempts (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  webhook_id text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  sequence bigint,
  attempt integer NOT NULL,
  outcome text NOT NULL,
  status integer,
  reason text,
  milliseconds integer NOT NULL,
  response text,
  attempted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT webhook_attempts_company_id_webhook_id_fkey
    FOREIGN KEY (company_id, webhook_id) REFERENCES webhooks (company_id, id) ON DELETE CASCADE,
  CONSTRAINT webhook_attempts_outcome CHECK (outcome IN ('acknowledged', 'failed', 'given_up')),
  CONSTRAINT webhook_attempts_counts CHECK (attempt > 0 AND milliseconds >= 0)
);
CREATE INDEX webhook_attempts_company_id_webhook_id_attempted_at_id_idx
  ON webhook_attempts (company_id, webhook_id, attempted_at DESC, id DESC);
CREATE INDEX webhook_attempts_company_id_attempted_at_idx ON webhook_attempts (company_id, attempted_at);

-- ── Access: one row for each person of the company and each resource ─────────────────────────────────────────────

-- The ladder, once: the highest of the personal level, the space's for its members, the company's for all but guests;
-- an owner of the company has full access to everything in it.
CREATE FUNCTION access_level(
  is_owner boolean, personal integer, is_member boolean, space_level integer, is_guest boolean, company_level integer
) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN is_owner THEN 100 ELSE
    greatest(0, personal, CASE WHEN is_member THEN space_level END, CASE WHEN NOT is_guest THEN company_level END)
  END
$$;

CREATE VIEW space_access AS
  SELECT s.company_id, s.id AS space_id, p.id AS person_id,
    access_level(p.is_owner, g.level, m.person_id IS NOT NULL, s.space_level, p.type = 'guest', s.company_level) AS level
  FROM spaces s
  JOIN people p ON p.company_id = s.company_id
  LEFT JOIN space_members m ON m.company_id = s.company_id AND m.space_id = s.id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = s.company_id AND g.space_id = s.id AND g.person_id = p.id;

CREATE VIEW goal_access AS
  SELECT r.company_id, r.id AS goal_id, p.id AS person_id, p.suspended_at IS NOT NULL AS is_suspended,
    access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) AS level
  FROM goals r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.company_id = r.company_id AND m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = r.company_id AND g.goal_id = r.id AND g.person_id = p.id;

CREATE VIEW project_access AS
  SELECT r.company_id, r.id AS project_id, p.id AS person_id,
    access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) AS level
  FROM projects r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.company_id = r.company_id AND m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = r.company_id AND g.project_id = r.id AND g.person_id = p.id;

-- The level on a hub is the one on its parent: as one join, so that Postgres can ask for a single hub. Of three parents
-- united it would first compute everybody's level on every hub.
CREATE VIEW resource_hub_access AS
  SELECT h.company_id, h.id AS resource_hub_id, p.id AS person_id, p.suspended_at IS NOT NULL AS is_suspended,
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
  SELECT p.company_id, p.id AS person_id, NULL::text AS space_id, shelf
  FROM people p, generate_series(0, 15) AS shelf
  WHERE p.is_owner OR (p.type <> 'guest' AND shelf & 8 <> 0)
  UNION ALL
  SELECT p.company_id, p.id, m.space_id, shelf
  FROM people p JOIN space_members m ON m.company_id = p.company_id AND m.person_id = p.id, generate_series(0, 15) AS shelf
  WHERE NOT p.is_owner AND shelf & 4 <> 0 AND (p.type = 'guest' OR shelf & 8 = 0);

-- The goals and projects a person sees for their own sake: by a grant, as champion or as reviewer.
CREATE VIEW personal_goals AS
  SELECT a.company_id, a.person_id, a.goal_id FROM access_grants a WHERE a.goal_id IS NOT NULL AND a.level >= 10
  UNION ALL
  SELECT g.company_id, g.champion_id, g.id FROM goals g WHERE g.champion_id IS NOT NULL
  UNION ALL
  SELECT g.company_id, g.reviewer_id, g.id FROM goals g WHERE g.reviewer_id IS NOT NULL;

CREATE VIEW personal_projects AS
  SELECT a.company_id, a.person_id, a.project_id FROM access_grants a WHERE a.project_id IS NOT NULL AND a.level >= 10
  UNION ALL
  SELECT r.company_id, r.champion_id, r.id FROM projects r WHERE r.champion_id IS NOT NULL
  UNION ALL
  SELECT r.company_id, r.reviewer_id, r.id FROM projects r WHERE r.reviewer_id IS NOT NULL;

-- The spaces a person sees by membership or by a grant.
CREATE VIEW personal_spaces AS
  SELECT m.company_id, m.person_id, m.space_id
  FROM space_members m JOIN spaces s ON s.company_id = m.company_id AND s.id = m.space_id WHERE s.space_level >= 10
  UNION ALL
  SELECT a.company_id, a.person_id, a.space_id FROM access_grants a WHERE a.space_id IS NOT NULL AND a.level >= 10;

-- The activities of a goal that have a thread. The latest thread says who is subscribed to the goal.
CREATE VIEW goal_threads AS
  SELECT a.company_id, a.id, a.goal_id, t.id AS thread_id, a.inserted_at
  FROM activities a JOIN comment_threads t ON t.company_id = a.company_id AND t.activity_id = a.id
  WHERE a.goal_id IS NOT NULL;

-- ── Lists: an index under every order, so that a page costs what the page holds, wherever it is ──────────────────

-- Names sort without regard to case; 200 characters are short enough for an index, ids decide what is equal so far.
CREATE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT lower(left(name, 200))
$$;

CREATE INDEX spaces_by_name ON spaces (company_id, (company_level >= 10), name_key(name), id);

CREATE INDEX goals_by_name ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), name_key(name), id);
CREATE INDEX goals_by_inserted_at ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), inserted_at, id);
CREATE INDEX goals_by_updated_at ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), updated_at, id);
CREATE INDEX goals_of_space_by_name
  ON goals (company_id, space_id, goal_shelf(company_level, space_level, closed_at, archived_at), name_key(name), id);
CREATE INDEX goals_of_space_by_inserted_at
  ON goals (company_id, space_id, goal_shelf(company_level, space_level, closed_at, archived_at), inserted_at, id);
CREATE INDEX goals_of_space_by_updated_at
  ON goals (company_id, space_id, goal_shelf(company_level, space_level, closed_at, archived_at), updated_at, id);

-- A server may lack the extension, or the right to create it: then a text search reads all goals of the
-- company, or all nodes of the hub.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX goals_name_idx ON goals USING gin (name gin_trgm_ops);
    CREATE INDEX resource_hub_folders_name_idx ON resource_hub_folders USING gin (name gin_trgm_ops);
    -- Partial, so that a deletion writes nothing to them.
    CREATE INDEX resource_hub_files_name_idx ON resource_hub_files USING gin (name gin_trgm_ops) WHERE deleted_at IS NULL;
    CREATE INDEX resource_hub_documents_name_idx
      ON resource_hub_documents USING gin (name gin_trgm_ops) WHERE deleted_at IS NULL;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'no right to create the extension pg_trgm';
END
$$;

CREATE INDEX resource_hubs_by_name ON resource_hubs (company_id, name_key(name), id);
-- The root is the folder '': an order after "IS NULL" is one the planner does not see.
CREATE INDEX resource_hub_folders_by_name
  ON resource_hub_folders (company_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id);
CREATE INDEX resource_hub_files_by_name
  ON resource_hub_files (company_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL;
CREATE INDEX resource_hub_documents_by_name
  ON resource_hub_documents (company_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL AND state = 'published';
CREATE INDEX resource_hub_drafts_by_name
  ON resource_hub_documents (company_id, author_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL AND state = 'draft';
-- The deleted files of a hub, the latest deletion first.
CREATE INDEX resource_hub_files_deleted ON resource_hub_files (company_id, resource_hub_id, deleted_at, id)
  WHERE deleted_at IS NOT NULL;

-- A recipient's unread notifications (1), and those that were read (0). Both together are two walks along it. A number,
-- because PostgreSQL would turn `(read_at IS NULL) = false` into what the index does not have.
CREATE INDEX notifications_by_read ON notifications (company_id, person_id, num_nulls(read_at), inserted_at, id);

-- ── What no constraint can say ──────────────────────────────────────────────────────────────────────────────────

-- No folder is inside itself. OFFSET 0 makes PostgreSQL look up one folder at a time instead of all. The lock lets the
-- second of two who move folders of a hub at the same time see what the first has done, unless its transaction is
-- REPEATABLE READ. A new folder needs none: nobody else can move anything into it yet.
CREATE FUNCTION refuse_folder_cycle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM pg_advisory_xact_lock(hashtext('resource_hub_folders'), hashtext(NEW.company_id || ' ' || NEW.resource_hub_id));
  END IF;
  IF EXISTS (
    WITH RECURSIVE ancestors AS (
      SELECT NEW.parent_folder_id AS id
      UNION
      SELECT f.parent_folder_id FROM ancestors a CROSS JOIN LATERAL (
        SELECT parent_folder_id FROM resource_hub_folders WHERE company_id = NEW.company_id AND id = a.id OFFSET 0
      ) f
    )
    SELECT FROM ancestors WHERE id = NEW.id
  ) THEN
    RAISE EXCEPTION 'folder % would be inside itself', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'resource_hub_folders_no_cycle';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER resource_hub_folders_no_cycle
  AFTER INSERT OR UPDATE OF parent_folder_id ON resource_hub_folders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.parent_folder_id IS NOT NULL) EXECUTE FUNCTION refuse_folder_cycle();

-- A deleted file does not hold its folder: once the folder goes, the file belongs to the hub's root.
CREATE FUNCTION release_deleted_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE resource_hub_files SET parent_folder_id = NULL
  WHERE company_id = OLD.company_id AND resource_hub_id = OLD.resource_hub_id AND parent_folder_id = OLD.id
    AND deleted_at IS NOT NULL;
  RETURN OLD;
END
$$;
CREATE TRIGGER resource_hub_folders_release_deleted_files
  BEFORE DELETE ON resource_hub_folders FOR EACH ROW EXECUTE FUNCTION release_deleted_files();

-- The history of a document is append-only.
CREATE FUNCTION refuse_rewriting_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'document versions are append-only' USING ERRCODE = 'check_violation', CONSTRAINT = 'document_versions_append_only';
END
$$;
CREATE TRIGGER document_versions_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON document_versions EXECUTE FUNCTION refuse_rewriting_history();

-- The current version is the latest, and a draft has none. Checked when the transaction ends, from both sides.
CREATE FUNCTION require_latest_version(company text, document text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM resource_hub_documents d
    WHERE d.company_id = company AND d.id = document AND d.current_version IS DISTINCT FROM
      (SELECT max(v.version_number) FROM document_versions v WHERE v.company_id = company AND v.document_id = document)
  ) THEN
    RAISE EXCEPTION 'the current version of document % is not its latest', document
      USING ERRCODE = 'check_violation', CONSTRAINT = 'resource_hub_documents_current_is_latest';
  END IF;
END
$$;
CREATE FUNCTION require_latest_version_of_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM require_latest_version(NEW.company_id, NEW.id);
  RETURN NULL;
END
$$;
CREATE FUNCTION require_version_to_be_latest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM require_latest_version(NEW.company_id, NEW.document_id);
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER resource_hub_documents_current_is_latest
  AFTER INSERT OR UPDATE OF current_version ON resource_hub_documents DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_latest_version_of_document();
CREATE CONSTRAINT TRIGGER document_versions_current_is_latest
  AFTER INSERT ON document_versions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_version_to_be_latest();

-- ── Statistics ──────────────────────────────────────────────────────────────────────────────────────────────────

-- After rows have come by the thousand, PostgreSQL plans for the few that it knew, until its autovacuum comes round: a page
-- of goals took seconds. Only the owner of a table may analyze it, so this runs as the owner.
CREATE FUNCTION analyze_table(name regclass) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT has_table_privilege(session_user, name, 'INSERT') THEN
    RAISE EXCEPTION 'permission denied for table %', name USING ERRCODE = 'insufficient_privilege';
  END IF;
  EXECUTE format('ANALYZE (SKIP_LOCKED) %s', name);
END
$$;
