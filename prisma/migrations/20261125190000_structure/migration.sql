-- The structure of a Goalpost database, as it is read: types, what tables need of functions, tables by subject, triggers, views
-- and rights. Every table of a company starts its keys with the company, so that a row can only refer to rows of its own
-- company, and one company's rows can be kept together wherever they are.

-- ── Types ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Guests get no access from their company.
CREATE TYPE person_type AS ENUM ('human', 'guest', 'ai');
-- How exact the date of a goal is.
CREATE TYPE contextual_date_type AS ENUM ('day', 'month', 'quarter', 'year');
-- How a goal or project is doing.
CREATE TYPE progress_status AS ENUM ('pending', 'on_track', 'caution', 'off_track', 'paused');
-- Whether the bytes of a file are there.
CREATE TYPE blob_status AS ENUM ('pending', 'uploaded', 'deleted');
-- A draft is for its author only.
CREATE TYPE document_state AS ENUM ('draft', 'published');
-- How a version came about.
CREATE TYPE version_origin AS ENUM ('published', 'edited', 'restored');
-- What happened. Each is about a goal, a file or a document.
CREATE TYPE activity_action AS ENUM (
  'goal_created', 'goal_closed', 'goal_reopened',
  'resource_hub_file_created', 'resource_hub_file_deleted',
  'resource_hub_document_created', 'resource_hub_document_edited',
  'document_version_restored', 'resource_hub_file_recovered'
);
-- Why a person is subscribed.
CREATE TYPE subscription_type AS ENUM ('invited', 'joined', 'mentioned');
-- Who wrote an activity: an operation of the gateway, an import, or the main application, which says nothing.
CREATE TYPE event_origin AS ENUM ('api', 'import', 'application');

-- ── What tables, indexes and views compute ──────────────────────────────────────────────────────────────────────────────

-- PostgreSQL looks up what a body of this kind names once, now, and not in the search_path of each caller, who may have
-- temporary tables and types of the same names. It puts the body into the statement that calls it; with a search_path of its
-- own, it could not.

-- Ids of new rows: UUIDv7 (RFC 9562), so that they sort by time on every supported Postgres version.
CREATE FUNCTION new_id() RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN encode(
  set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
      PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
    52, 1), 53, 1),
  'hex')::uuid::text;

-- Names sort as the Unicode collation algorithm has them, by the collation of their columns, which is the same in every
-- database, and without regard to case; 200 characters are short enough for an index, ids decide what is equal so far.
CREATE FUNCTION name_key(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower("left"(name, 200));

-- Names are searched without regard to case, accents, ligatures, widths, final sigmas, how a letter is composed, and what is not
-- seen, such as soft hyphens; quotation marks and dashes are the ones that keyboards have. Each character of Chinese, Japanese
-- and Korean stands alone, so that an index of three in a row finds it. Names are never longer than 800, both of a file
-- together. Columns store it: whoever changes it rewrites them.
CREATE FUNCTION search_key(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
  normalize(
    translate(
      replace(replace(replace(
        regexp_replace(
          normalize(lower(normalize(
            translate("left"(name, 800),
              U&'\2018\2019\201A\201B\2032\2035\2039\203A\02B9\02BB\02BC\05F3\275B\275C`\00B4\201C\201D\201E\201F\2033\2036\00AB\00BB\02BA\05F4\275D\275E\301D\301E\301F\2010\2011\2012\2013\2014\2015\2212\2043\FE58\05BE',
              repeat('''', 16) || repeat('"', 15) || repeat('-', 10)),
            NFKC) COLLATE "und-x-icu"), NFKD),
          '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f\u00ad\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff\u115f\u1160\u17b4\u17b5]', '', 'g'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
      'ςłøđħı', 'σlodhi'),
    NFC),
  '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff])', ' \1 ', 'g');

-- What a name is LIKE that contains a word.
CREATE FUNCTION search_pattern(word text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN '%' || regexp_replace(search_key(word), '([\\%_])', '\\\1', 'g') || '%';

-- All goals on one shelf (1 archived, 2 closed, 4 open to its space, 8 open to the company) are seen by the same people,
-- personal access aside.
CREATE FUNCTION goal_shelf(
  company_level integer, space_level integer, closed_at timestamptz, archived_at timestamptz
) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN company_level >= 10 THEN 8 ELSE 0 END + CASE WHEN space_level >= 10 THEN 4 ELSE 0 END
  + CASE WHEN closed_at IS NOT NULL THEN 2 ELSE 0 END + CASE WHEN archived_at IS NOT NULL THEN 1 ELSE 0 END;

-- What changes in its order: the next event of a record waits until the one before has arrived.
CREATE FUNCTION record_of(goal_id text, file_id text, document_id text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce('goal ' || goal_id, 'file ' || file_id, 'document ' || document_id);

-- The ladder, once: the highest of the personal level, the space's for its members, the company's for all but guests;
-- an owner of the company has full access to everything in it.
CREATE FUNCTION access_level(
  is_owner boolean, personal integer, is_member boolean, space_level integer, is_guest boolean, company_level integer
) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN is_owner THEN 100 ELSE
  greatest(0, personal, CASE WHEN is_member THEN space_level END, CASE WHEN NOT is_guest THEN company_level END)
END;

-- Of all tables: foreign keys between rows of one table, and the one from a document to its current version, are checked when
-- the transaction ends, as the rows of one import may come in any order. What an import refuses of a row, the checks of the
-- table refuse too. Every order of a list has an index, so that a page costs what the page holds, wherever it is.

-- ── Companies, people and their tokens ──────────────────────────────────────────────────────────────────────────────────

-- The tenant: every other row belongs to one.
CREATE TABLE companies (
  id text NOT NULL DEFAULT new_id(),
  name text COLLATE "und-x-icu" NOT NULL,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_sequence bigint NOT NULL DEFAULT 0,
  CONSTRAINT companies_pkey PRIMARY KEY (id),
  CONSTRAINT companies_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT companies_name
    CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT companies_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z')
);

-- Whoever may have a token, be named or be notified; who has left is suspended, and stays in the history.
CREATE TABLE people (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  full_name text COLLATE "und-x-icu" NOT NULL,
  title text,
  email text,
  avatar_url text,
  type person_type NOT NULL DEFAULT 'human',
  is_owner boolean NOT NULL DEFAULT false,
  suspended_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  search_key text NOT NULL GENERATED ALWAYS AS (search_key(full_name)) STORED,
  CONSTRAINT people_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT people_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT,
  CONSTRAINT people_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT people_full_name
    CHECK (length(full_name) BETWEEN 1 AND 500),
  CONSTRAINT people_times
    CHECK (
      suspended_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT people_title CHECK (length(title) <= 500),
  CONSTRAINT people_email CHECK (length(email) <= 500),
  CONSTRAINT people_avatar_url CHECK (octet_length(avatar_url) <= 4000000 OR length(avatar_url) <= 4000000)
);

-- The company of a token, which is all that a request brings. Small, and apart from the tables of companies, so that a
-- database of many nodes can keep a copy on each.
CREATE TABLE token_companies (
  company_id text NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT token_companies_pkey PRIMARY KEY (hash),
  CONSTRAINT token_companies_company_id_hash_key UNIQUE (company_id, hash)
);

-- A token of a person, of which only the hash is stored.
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
  -- What it may do, as lists with spaces between their items; null for all there is, and is to come.
  scopes text,
  surfaces text,
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

-- The outcome of a request with an Idempotency-Key, written in the transaction of its change.
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

-- The counts of RATE_LIMIT_STORE=postgres. Unlogged: those of the last minute are not worth writing to disk twice, and may
-- be lost in a crash.
CREATE UNLOGGED TABLE rate_limits (
  key varchar(255) NOT NULL,
  points integer NOT NULL DEFAULT 0,
  expire bigint,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
);

-- What the confirmations of previews are computed with: the same for all gateways, in one row, which the first of them adds.
CREATE TABLE confirmation_secrets (
  version smallint NOT NULL,
  secret bytea NOT NULL,
  CONSTRAINT confirmation_secrets_pkey PRIMARY KEY (version),
  CONSTRAINT confirmation_secrets_secret CHECK (length(secret) = 32)
);

-- The last import of each company: what a file must be newer than.
CREATE TABLE imports (
  company_id text NOT NULL,
  revision bigint,
  digest bytea NOT NULL,
  imported_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- When and why the last file was refused, if it was. Nothing of it was written.
  refused_at timestamptz(3),
  refused_reason text,
  CONSTRAINT imports_pkey PRIMARY KEY (company_id),
  CONSTRAINT imports_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT,
  CONSTRAINT imports_revision CHECK (revision > 0)
);

-- ── Spaces, goals and projects ──────────────────────────────────────────────────────────────────────────────────────────

-- Where people work: members see what is open to the space.
CREATE TABLE spaces (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  name text COLLATE "und-x-icu" NOT NULL,
  mission text,
  is_company_space boolean NOT NULL DEFAULT false,
  public_level integer NOT NULL DEFAULT 0,
  company_level integer NOT NULL DEFAULT 70,
  space_level integer NOT NULL DEFAULT 100,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- When an import removed it: hidden from everybody, with what is in it. Its history stays.
  removed_at timestamptz(3),
  CONSTRAINT spaces_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT spaces_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT,
  CONSTRAINT spaces_levels
    CHECK (
      public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100)
      AND space_level IN (0, 10, 40, 70, 100)
    ),
  CONSTRAINT spaces_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT spaces_name
    CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT spaces_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT spaces_mission CHECK (octet_length(mission) <= 4000000 OR length(mission) <= 4000000)
);
CREATE INDEX spaces_by_name ON spaces (company_id, (company_level >= 10), name_key(name), id);

-- Who is in a space.
CREATE TABLE space_members (
  company_id text NOT NULL,
  space_id text NOT NULL,
  person_id text NOT NULL,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT space_members_pkey PRIMARY KEY (company_id, space_id, person_id),
  CONSTRAINT space_members_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE CASCADE,
  CONSTRAINT space_members_company_id_person_id_fkey
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE CASCADE,
  CONSTRAINT space_members_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z')
);
CREATE INDEX space_members_company_id_person_id_idx ON space_members (company_id, person_id);

-- What reopening a goal changes. A goal may be part of another.
CREATE TABLE goals (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  space_id text NOT NULL,
  parent_goal_id text,
  name text COLLATE "und-x-icu" NOT NULL,
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
  company_level integer NOT NULL,
  space_level integer NOT NULL,
  next_update_scheduled_at timestamptz(3),
  closed_at timestamptz(3),
  closed_by_id text,
  success boolean,
  archived_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- When an import removed it: hidden from everybody, with what is in it. Its history stays.
  removed_at timestamptz(3),
  -- The activity that made the present outcome; null if somebody else has changed it since. It may have been purged.
  outcome_activity_id text,
  search_key text NOT NULL GENERATED ALWAYS AS (search_key(name)) STORED,
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
  CONSTRAINT goals_name CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT goals_levels
    CHECK (
      public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100)
      AND space_level IN (0, 10, 40, 70, 100)
    ),
  CONSTRAINT goals_parent CHECK (parent_goal_id <> id),
  CONSTRAINT goals_closed
    CHECK ((closed_at IS NULL) = (success IS NULL) AND (closed_at IS NOT NULL OR closed_by_id IS NULL)),
  CONSTRAINT goals_start_date CHECK (num_nonnulls(start_date_type, start_date_value, start_date) IN (0, 3)),
  CONSTRAINT goals_end_date CHECK (num_nonnulls(end_date_type, end_date_value, end_date) IN (0, 3)),
  CONSTRAINT goals_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT goals_times
    CHECK (
      next_update_scheduled_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND closed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND archived_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT goals_dates
    CHECK (start_date BETWEEN '1000-01-01' AND '9999-12-31' AND end_date BETWEEN '1000-01-01' AND '9999-12-31'),
  CONSTRAINT goals_date_values
    CHECK (length(start_date_value) BETWEEN 1 AND 500 AND length(end_date_value) BETWEEN 1 AND 500),
  CONSTRAINT goals_description CHECK (octet_length(description) <= 4000000 OR length(description) <= 4000000)
);
CREATE INDEX goals_company_id_champion_id_idx ON goals (company_id, champion_id);
CREATE INDEX goals_company_id_reviewer_id_idx ON goals (company_id, reviewer_id);
CREATE INDEX goals_company_id_closed_by_id_idx ON goals (company_id, closed_by_id);
CREATE INDEX goals_by_name ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), name_key(name), id);
CREATE INDEX goals_by_inserted_at ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), inserted_at, id);
CREATE INDEX goals_by_updated_at ON goals (company_id, goal_shelf(company_level, space_level, closed_at, archived_at), updated_at, id);
CREATE INDEX goals_of_space_by_name
  ON goals (company_id, space_id, goal_shelf(company_level, space_level, closed_at, archived_at), name_key(name), id);
CREATE INDEX goals_of_space_by_inserted_at
  ON goals (company_id, space_id, goal_shelf(company_level, space_level, closed_at, archived_at), inserted_at, id);
CREATE INDEX goals_of_space_by_updated_at
  ON goals (company_id, space_id, goal_shelf(company_level, space_level, closed_at, archived_at), updated_at, id);
-- The last one: of indexes that seem equal while a table is empty, PostgreSQL takes that.
CREATE INDEX goals_company_id_parent_goal_id_idx ON goals (company_id, parent_goal_id);

-- What a goal is measured by.
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
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE,
  CONSTRAINT targets_name
    CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT targets_index
    CHECK (index >= 0),
  CONSTRAINT targets_numbers
    CHECK (abs("from") < 'Infinity' AND abs("to") < 'Infinity' AND abs(value) < 'Infinity'),
  CONSTRAINT targets_unit CHECK (length(unit) <= 500)
);
CREATE INDEX targets_company_id_goal_id_index_idx ON targets (company_id, goal_id, index);

-- What a goal has to tick off.
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
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE CASCADE,
  CONSTRAINT goal_checks_name
    CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT goal_checks_index
    CHECK (index >= 0),
  CONSTRAINT goal_checks_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    )
);
CREATE INDEX goal_checks_company_id_goal_id_index_idx ON goal_checks (company_id, goal_id, index);

-- A check-in on a goal; the latest gives an open goal its status.
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
  CONSTRAINT goal_progress_updates_acknowledged CHECK ((acknowledged_at IS NULL) = (acknowledged_by_id IS NULL)),
  CONSTRAINT goal_progress_updates_times
    CHECK (
      acknowledged_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT goal_progress_updates_message CHECK (octet_length(message) <= 4000000 OR length(message) <= 4000000)
);
CREATE INDEX goal_progress_updates_company_id_goal_id_inserted_at_id_idx
  ON goal_progress_updates (company_id, goal_id, inserted_at DESC, id DESC);
CREATE INDEX goal_progress_updates_company_id_author_id_idx ON goal_progress_updates (company_id, author_id);
CREATE INDEX goal_progress_updates_company_id_acknowledged_by_id_idx
  ON goal_progress_updates (company_id, acknowledged_by_id);

-- What was said when a goal was closed.
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
    FOREIGN KEY (company_id, author_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT goal_retrospectives_title
    CHECK (length(title) BETWEEN 1 AND 500),
  CONSTRAINT goal_retrospectives_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'),
  CONSTRAINT goal_retrospectives_content CHECK (octet_length(content) <= 4000000 OR length(content) <= 4000000)
);
CREATE INDEX goal_retrospectives_company_id_goal_id_inserted_at_id_idx
  ON goal_retrospectives (company_id, goal_id, inserted_at DESC, id DESC);
CREATE INDEX goal_retrospectives_company_id_author_id_idx ON goal_retrospectives (company_id, author_id);

-- Work on a goal, with access of its own.
CREATE TABLE projects (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  space_id text NOT NULL,
  goal_id text,
  name text COLLATE "und-x-icu" NOT NULL,
  description text,
  status progress_status NOT NULL DEFAULT 'pending',
  champion_id text,
  reviewer_id text,
  public_level integer NOT NULL DEFAULT 0,
  company_level integer NOT NULL,
  space_level integer NOT NULL,
  closed_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- When an import removed it: hidden from everybody, with what is in it. Its history stays.
  removed_at timestamptz(3),
  CONSTRAINT projects_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT projects_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_company_id_champion_id_fkey
    FOREIGN KEY (company_id, champion_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_company_id_reviewer_id_fkey
    FOREIGN KEY (company_id, reviewer_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT projects_name CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT projects_levels
    CHECK (
      public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100)
      AND space_level IN (0, 10, 40, 70, 100)
    ),
  CONSTRAINT projects_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT projects_times
    CHECK (
      closed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT projects_description CHECK (octet_length(description) <= 4000000 OR length(description) <= 4000000)
);
CREATE INDEX projects_company_id_space_id_idx ON projects (company_id, space_id);
CREATE INDEX projects_company_id_goal_id_idx ON projects (company_id, goal_id);
CREATE INDEX projects_company_id_champion_id_idx ON projects (company_id, champion_id);
CREATE INDEX projects_company_id_reviewer_id_idx ON projects (company_id, reviewer_id);

-- A personal grant on exactly one space, goal or project.
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

-- ── Resource hubs ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- A place for files and documents. Belongs to exactly one space, goal or project, and takes its access.
CREATE TABLE resource_hubs (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  space_id text,
  goal_id text,
  project_id text,
  name text COLLATE "und-x-icu" NOT NULL,
  description text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- When an import removed it: hidden from everybody, with what is in it. Its history stays.
  removed_at timestamptz(3),
  search_key text NOT NULL GENERATED ALWAYS AS (search_key(name)) STORED,
  CONSTRAINT resource_hubs_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT resource_hubs_company_id_space_id_fkey
    FOREIGN KEY (company_id, space_id) REFERENCES spaces (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hubs_company_id_goal_id_fkey
    FOREIGN KEY (company_id, goal_id) REFERENCES goals (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hubs_company_id_project_id_fkey
    FOREIGN KEY (company_id, project_id) REFERENCES projects (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hubs_one_parent CHECK (num_nonnulls(space_id, goal_id, project_id) = 1),
  CONSTRAINT resource_hubs_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT resource_hubs_name
    CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT resource_hubs_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT resource_hubs_description CHECK (octet_length(description) <= 4000000 OR length(description) <= 4000000)
);
CREATE INDEX resource_hubs_company_id_space_id_idx ON resource_hubs (company_id, space_id);
CREATE INDEX resource_hubs_company_id_goal_id_idx ON resource_hubs (company_id, goal_id);
CREATE INDEX resource_hubs_company_id_project_id_idx ON resource_hubs (company_id, project_id);
CREATE INDEX resource_hubs_by_name ON resource_hubs (company_id, name_key(name), id);

-- A folder, whose parent is in the same hub.
CREATE TABLE resource_hub_folders (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  resource_hub_id text NOT NULL,
  parent_folder_id text,
  name text COLLATE "und-x-icu" NOT NULL,
  description text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  search_key text NOT NULL GENERATED ALWAYS AS (search_key(name)) STORED,
  CONSTRAINT resource_hub_folders_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT resource_hub_folders_company_id_resource_hub_id_id_key UNIQUE (company_id, resource_hub_id, id),
  CONSTRAINT resource_hub_folders_company_id_resource_hub_id_fkey
    FOREIGN KEY (company_id, resource_hub_id) REFERENCES resource_hubs (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT resource_hub_folders_company_id_resource_hub_id_parent_fol_fkey
    FOREIGN KEY (company_id, resource_hub_id, parent_folder_id) REFERENCES resource_hub_folders (company_id, resource_hub_id, id) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT resource_hub_folders_name CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT resource_hub_folders_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT resource_hub_folders_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT resource_hub_folders_description CHECK (octet_length(description) <= 4000000 OR length(description) <= 4000000)
);
CREATE INDEX resource_hub_folders_company_id_resource_hub_id_parent_fold_idx
  ON resource_hub_folders (company_id, resource_hub_id, parent_folder_id);
-- The root is the folder '': an order after "IS NULL" is one the planner does not see.
CREATE INDEX resource_hub_folders_by_name
  ON resource_hub_folders (company_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id);

-- The ids of folders that an import has removed, so that none comes back.
CREATE TABLE removed_folders (
  company_id text NOT NULL,
  id text NOT NULL,
  removed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT removed_folders_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT removed_folders_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies (id) ON DELETE RESTRICT
);

-- What is stored for a file: the gateway knows of it, not its bytes.
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
  CONSTRAINT blobs_dimensions CHECK (width > 0 AND height > 0),
  CONSTRAINT blobs_filename
    CHECK (length(filename) BETWEEN 1 AND 255),
  CONSTRAINT blobs_content_type
    CHECK (length(content_type) BETWEEN 1 AND 500),
  CONSTRAINT blobs_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'),
  CONSTRAINT blobs_url CHECK (octet_length(url) <= 4000000 OR length(url) <= 4000000)
);

-- A file. A deleted one stays, to be recovered.
CREATE TABLE resource_hub_files (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  resource_hub_id text NOT NULL,
  parent_folder_id text,
  name text COLLATE "und-x-icu" NOT NULL,
  description text,
  author_id text NOT NULL,
  blob_id text NOT NULL,
  deleted_at timestamptz(3),
  deleted_by_id text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- The activity that made the present outcome; null if somebody else has changed it since. It may have been purged.
  outcome_activity_id text,
  -- When an import removed it: hidden from everybody, with what is in it. Its history stays.
  removed_at timestamptz(3),
  -- The name that its blob was uploaded with, which a trigger keeps.
  filename text,
  search_key text NOT NULL GENERATED ALWAYS AS (search_key(name || E'\n' || coalesce(filename, ''))) STORED,
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
  CONSTRAINT resource_hub_files_name CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT resource_hub_files_deleted CHECK (deleted_at IS NOT NULL OR deleted_by_id IS NULL),
  CONSTRAINT resource_hub_files_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT resource_hub_files_times
    CHECK (
      deleted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT resource_hub_files_removed_times
    CHECK (removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'),
  CONSTRAINT resource_hub_files_description CHECK (octet_length(description) <= 4000000 OR length(description) <= 4000000)
);
CREATE INDEX resource_hub_files_company_id_resource_hub_id_parent_folder_idx
  ON resource_hub_files (company_id, resource_hub_id, parent_folder_id);
CREATE INDEX resource_hub_files_company_id_author_id_idx ON resource_hub_files (company_id, author_id);
CREATE INDEX resource_hub_files_company_id_deleted_by_id_idx ON resource_hub_files (company_id, deleted_by_id);
CREATE INDEX resource_hub_files_by_name
  ON resource_hub_files (company_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL;
-- The deleted files of a hub, the latest deletion first.
CREATE INDEX resource_hub_files_deleted ON resource_hub_files (company_id, resource_hub_id, deleted_at, id)
  WHERE deleted_at IS NOT NULL;

-- The company of a public link, whose token is all that a visitor brings. Unique across companies.
CREATE TABLE public_links (
  company_id text NOT NULL,
  token text NOT NULL,
  CONSTRAINT public_links_pkey PRIMARY KEY (token),
  CONSTRAINT public_links_company_id_token_key UNIQUE (company_id, token),
  CONSTRAINT public_links_token
    CHECK (token ~ '^[A-Za-z0-9_-]{1,200}$')
);

-- A document: a draft of its author, or published with versions.
CREATE TABLE resource_hub_documents (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  resource_hub_id text NOT NULL,
  parent_folder_id text,
  name text COLLATE "und-x-icu" NOT NULL,
  content text NOT NULL,
  author_id text NOT NULL,
  state document_state NOT NULL DEFAULT 'draft',
  current_version integer,
  public_token text,
  published_at timestamptz(3),
  deleted_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- The activity that made the present outcome; null if somebody else has changed it since. It may have been purged.
  outcome_activity_id text,
  -- When an import removed it: hidden from everybody, with what is in it. Its history stays.
  removed_at timestamptz(3),
  search_key text NOT NULL GENERATED ALWAYS AS (search_key(name)) STORED,
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
  CONSTRAINT resource_hub_documents_name CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT resource_hub_documents_draft CHECK ((state = 'draft') = (current_version IS NULL)),
  CONSTRAINT resource_hub_documents_published CHECK ((state = 'draft') = (published_at IS NULL)),
  CONSTRAINT resource_hub_documents_public CHECK (public_token IS NULL OR state = 'published'),
  CONSTRAINT resource_hub_documents_id
    CHECK (octet_length(id) BETWEEN 1 AND 200 AND position(U&'\FFFD' IN id) = 0),
  CONSTRAINT resource_hub_documents_times
    CHECK (
      published_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND deleted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT resource_hub_documents_removed_times
    CHECK (removed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'),
  CONSTRAINT resource_hub_documents_content CHECK (octet_length(content) <= 4000000 OR length(content) <= 4000000)
);
CREATE INDEX resource_hub_documents_company_id_resource_hub_id_parent_fo_idx
  ON resource_hub_documents (company_id, resource_hub_id, parent_folder_id);
CREATE INDEX resource_hub_documents_company_id_author_id_idx ON resource_hub_documents (company_id, author_id);
CREATE INDEX resource_hub_documents_by_name
  ON resource_hub_documents (company_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL AND state = 'published';
CREATE INDEX resource_hub_drafts_by_name
  ON resource_hub_documents (company_id, author_id, resource_hub_id, coalesce(parent_folder_id, ''), name_key(name), id)
  WHERE deleted_at IS NULL AND state = 'draft';

-- What a document has been. Append-only: a trigger refuses every update and delete.
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
  CONSTRAINT document_versions_title CHECK (length(title) BETWEEN 1 AND 500),
  CONSTRAINT document_versions_previous
    CHECK (previous_version_number IS NOT DISTINCT FROM nullif(version_number - 1, 0)),
  CONSTRAINT document_versions_restored CHECK ((origin = 'restored') = (restored_from_version_number IS NOT NULL)),
  CONSTRAINT document_versions_restored_from CHECK (restored_from_version_number < version_number),
  CONSTRAINT document_versions_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'),
  CONSTRAINT document_versions_content CHECK (octet_length(content) <= 4000000 OR length(content) <= 4000000)
);
CREATE INDEX document_versions_company_id_editor_id_idx ON document_versions (company_id, editor_id);

-- Here, because each of both tables names the other.
ALTER TABLE resource_hub_documents ADD CONSTRAINT resource_hub_documents_company_id_id_current_version_fkey
  FOREIGN KEY (company_id, id, current_version) REFERENCES document_versions (company_id, document_id, version_number) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

-- ── Activities, comments, subscriptions and notifications ───────────────────────────────────────────────────────────────

-- Something that happened to exactly one goal, file or document, and so an event of its company.
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
  -- Who wrote it: an operation of the gateway, an import, or the main application, which says nothing.
  origin event_origin NOT NULL DEFAULT 'application',
  -- The token that made it, and where that was used; null for what no token has made.
  token_id text,
  surface text,
  -- The activity that this one undoes; null for all others.
  undoes_id text,
  -- The activity that had made the outcome which this one replaced: undoing this one gives the record back to that one.
  previous_outcome_id text,
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
  -- What an action applies to is how its name begins, so that a new action is a value of the enum and nothing else.
  CONSTRAINT activities_subject_of_action CHECK (CASE
    WHEN starts_with(action::text, 'goal_') THEN goal_id IS NOT NULL
    WHEN starts_with(action::text, 'resource_hub_file_') THEN file_id IS NOT NULL
    ELSE document_id IS NOT NULL END),
  -- An application need not say which version it has added; a restore does.
  CONSTRAINT activities_version
    CHECK (CASE action WHEN 'document_version_restored' THEN document_version_id IS NOT NULL
      ELSE document_version_id IS NULL OR document_id IS NOT NULL END),
  CONSTRAINT activities_undone_outcome
    CHECK (
      (action = 'goal_reopened' OR undone_closed_at IS NULL)
      AND (undone_closed_at IS NULL) = (undone_success IS NULL)
      AND (undone_closed_at IS NOT NULL OR undone_closed_by_id IS NULL)
    ),
  CONSTRAINT activities_surface CHECK (surface IN ('rest', 'graphql', 'mcp')),
  CONSTRAINT activities_company_id_token_id_fkey
    FOREIGN KEY (company_id, token_id) REFERENCES api_tokens (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_company_id_undoes_id_fkey
    FOREIGN KEY (company_id, undoes_id) REFERENCES activities (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT activities_name
    CHECK (length(name) BETWEEN 1 AND 500),
  CONSTRAINT activities_times
    CHECK (
      undone_closed_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
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
CREATE INDEX activities_of_record ON activities (company_id, record_of(goal_id, file_id, document_id), sequence)
  WHERE sequence IS NOT NULL;
-- Newest first by their time, which an import brings: by their numbers, what it brings is new.
CREATE INDEX activities_by_time ON activities (company_id, inserted_at, sequence) WHERE sequence IS NOT NULL;
-- What a token has done.
CREATE INDEX activities_by_token ON activities (company_id, token_id, inserted_at, id) WHERE token_id IS NOT NULL;
-- Whether an activity was undone.
CREATE INDEX activities_by_undone ON activities (company_id, undoes_id) WHERE undoes_id IS NOT NULL;
-- What a token has done lately, in the order in which it was recorded.
CREATE INDEX activities_by_token_recorded ON activities (company_id, token_id, recorded_at, id) WHERE token_id IS NOT NULL;

-- What was said with an activity, and the comments under it.
CREATE TABLE comment_threads (
  company_id text NOT NULL,
  id text NOT NULL DEFAULT new_id(),
  activity_id text NOT NULL,
  message text,
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT comment_threads_pkey PRIMARY KEY (company_id, id),
  CONSTRAINT comment_threads_company_id_activity_id_key UNIQUE (company_id, activity_id),
  CONSTRAINT comment_threads_company_id_activity_id_fkey
    FOREIGN KEY (company_id, activity_id) REFERENCES activities (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT comment_threads_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'),
  CONSTRAINT comment_threads_message CHECK (octet_length(message) <= 4000000 OR length(message) <= 4000000)
);

-- On exactly one subject. A deleted comment is kept but not counted.
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
    CHECK (num_nonnulls(thread_id, progress_update_id, retrospective_id, file_id, document_id) = 1),
  CONSTRAINT comments_times
    CHECK (
      inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND updated_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND deleted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    ),
  CONSTRAINT comments_content CHECK (octet_length(content) <= 4000000 OR length(content) <= 4000000)
);
CREATE INDEX comments_company_id_author_id_idx ON comments (company_id, author_id);
CREATE INDEX comments_company_id_thread_id_idx ON comments (company_id, thread_id);
CREATE INDEX comments_company_id_progress_update_id_idx ON comments (company_id, progress_update_id);
CREATE INDEX comments_company_id_retrospective_id_idx ON comments (company_id, retrospective_id);
CREATE INDEX comments_company_id_file_id_idx ON comments (company_id, file_id);
CREATE INDEX comments_company_id_document_id_idx ON comments (company_id, document_id);

-- On exactly one subject. A person can give each emoji to a subject once.
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
  CONSTRAINT reactions_one_subject CHECK (num_nonnulls(comment_id, progress_update_id, file_id, document_id) = 1),
  CONSTRAINT reactions_emoji
    CHECK (length(emoji) BETWEEN 1 AND 50),
  CONSTRAINT reactions_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z')
);
CREATE INDEX reactions_company_id_person_id_idx ON reactions (company_id, person_id);

-- Who hears of a thread, file or document: belongs to exactly one of them.
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

-- A person on such a list.
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
    FOREIGN KEY (company_id, person_id) REFERENCES people (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT subscriptions_times
    CHECK (inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z')
);
CREATE INDEX subscriptions_company_id_person_id_idx ON subscriptions (company_id, person_id);

-- That a person is to hear of an activity.
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
    FOREIGN KEY (company_id, activity_id) REFERENCES activities (company_id, id) ON DELETE RESTRICT,
  CONSTRAINT notifications_times
    CHECK (
      read_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
      AND inserted_at BETWEEN '1000-01-01Z' AND '9999-12-31T23:59:59.999Z'
    )
);
-- A recipient's unread notifications (1), and those that were read (0). Both together are two walks along it. A number,
-- because PostgreSQL would turn `(read_at IS NULL) = false` into what the index does not have.
CREATE INDEX notifications_by_read ON notifications (company_id, person_id, num_nulls(read_at), inserted_at, id);

-- ── Webhooks ────────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Up to its position, each event of the company has arrived, is not wanted, or is queued in webhook_retries. Those up to
-- `attempted` may have been sent before they were queued. One gateway at a time delivers, the holder of the lease; an epoch
-- begins when the position is moved by an owner, and ends what the holder still has in hand. All times are by the
-- database's clock.
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
  locked_by text,
  locked_until timestamptz(3),
  next_attempt_at timestamptz(3),
  inserted_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- The origins whose events it does not get.
  except_origins event_origin[] DEFAULT ARRAY[]::event_origin[],
  -- The token that made it.
  token_id text,
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
  CONSTRAINT webhooks_lease CHECK ((locked_by IS NULL) = (locked_until IS NULL)),
  CONSTRAINT webhooks_except_origins CHECK (except_origins IS NOT NULL),
  CONSTRAINT webhooks_company_id_token_id_fkey
    FOREIGN KEY (company_id, token_id) REFERENCES api_tokens (company_id, id) ON DELETE RESTRICT
);
-- What every gateway looks for each second: work that is due, and what the dead have left.
CREATE INDEX webhooks_due ON webhooks (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhooks_leased ON webhooks (locked_until) WHERE locked_until IS NOT NULL;

-- The queue of a webhook. Of each record the event that is sent next; its later ones, up to the webhook's position, wait
-- behind it. Or what an owner asked to have sent once, which nothing waits behind: an event again, or a ping, without a
-- sequence. A row is in hand while it is locked by the webhook's lease. The last error stays until nothing of the record is
-- left to send.
CREATE TABLE webhook_retries (
  company_id text NOT NULL,
  webhook_id text NOT NULL,
  record text NOT NULL,
  once boolean NOT NULL DEFAULT false,
  sequence bigint,
  attempts integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  next_attempt_at timestamptz(3) NOT NULL,
  locked_by text,
  CONSTRAINT webhook_retries_pkey PRIMARY KEY (company_id, webhook_id, record),
  CONSTRAINT webhook_retries_company_id_webhook_id_fkey
    FOREIGN KEY (company_id, webhook_id) REFERENCES webhooks (company_id, id) ON DELETE CASCADE,
  CONSTRAINT webhook_retries_sequence CHECK (once OR sequence IS NOT NULL),
  CONSTRAINT webhook_retries_counts CHECK (failures >= 0 AND attempts >= 0)
);
CREATE INDEX webhook_retries_due ON webhook_retries (company_id, webhook_id, once, next_attempt_at, sequence);
-- The oldest row of those that have failed (0) and of those that have not (1): an endpoint that waits is tried with both.
CREATE INDEX webhook_retries_oldest ON webhook_retries (company_id, webhook_id, num_nulls(last_error), sequence);

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

-- ── Text search ─────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A server may lack the extension, or the right to create it: then a text search reads all goals of the
-- company, or all nodes of the hub.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX people_name_idx ON people USING gin (search_key gin_trgm_ops) WHERE suspended_at IS NULL;
    CREATE INDEX resource_hubs_name_idx ON resource_hubs USING gin (search_key gin_trgm_ops) WHERE removed_at IS NULL;
    CREATE INDEX goals_name_idx ON goals USING gin (search_key gin_trgm_ops) WHERE removed_at IS NULL;
    CREATE INDEX resource_hub_folders_name_idx ON resource_hub_folders USING gin (search_key gin_trgm_ops);
    -- Partial, so that a deletion writes nothing to them.
    CREATE INDEX resource_hub_files_name_idx ON resource_hub_files USING gin (search_key gin_trgm_ops) WHERE deleted_at IS NULL;
    CREATE INDEX resource_hub_documents_name_idx
      ON resource_hub_documents USING gin (search_key gin_trgm_ops) WHERE deleted_at IS NULL;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'no right to create the extension pg_trgm';
END
$$;

-- Many names that contain a text are looked for in their order, until a page is full. Most names are short enough for an index
-- that has all that it takes, so that no content is read meanwhile.
CREATE INDEX resource_hub_folders_short_names ON resource_hub_folders (company_id, name_key(name), id) INCLUDE (name, search_key, resource_hub_id)
  WHERE octet_length(name) <= 400 AND octet_length(search_key) <= 400;
CREATE INDEX resource_hub_folders_long_names ON resource_hub_folders (company_id, name_key(name), id)
  WHERE NOT (octet_length(name) <= 400 AND octet_length(search_key) <= 400);
CREATE INDEX resource_hub_files_short_names ON resource_hub_files (company_id, name_key(name), id) INCLUDE (name, search_key, resource_hub_id)
  WHERE deleted_at IS NULL AND octet_length(name) <= 400 AND octet_length(search_key) <= 400;
CREATE INDEX resource_hub_files_long_names ON resource_hub_files (company_id, name_key(name), id)
  WHERE deleted_at IS NULL AND NOT (octet_length(name) <= 400 AND octet_length(search_key) <= 400);
CREATE INDEX resource_hub_documents_short_names ON resource_hub_documents (company_id, name_key(name), id) INCLUDE (name, search_key, resource_hub_id)
  WHERE deleted_at IS NULL AND state = 'published' AND octet_length(name) <= 400 AND octet_length(search_key) <= 400;
CREATE INDEX resource_hub_documents_long_names ON resource_hub_documents (company_id, name_key(name), id)
  WHERE deleted_at IS NULL AND state = 'published' AND NOT (octet_length(name) <= 400 AND octet_length(search_key) <= 400);
CREATE INDEX people_by_name ON people (company_id, name_key(full_name), id) WHERE suspended_at IS NULL;

-- ── What no constraint can say ──────────────────────────────────────────────────────────────────────────────────────────

-- The functions of triggers find the tables of the schema that they are in, whatever the search_path of their callers, whose
-- temporary tables come last.
SELECT set_config('search_path', format('%I, pg_temp', current_schema()), true);

-- Gateways say when a row was changed where it matters; other writers, who may not write outcomes of requests, need not.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT has_table_privilege('idempotency_keys', 'INSERT') THEN
    NEW.updated_at := now();
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER spaces_updated_at
  BEFORE UPDATE ON spaces FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER goals_updated_at
  BEFORE UPDATE ON goals FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER goal_checks_updated_at
  BEFORE UPDATE ON goal_checks FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER projects_updated_at
  BEFORE UPDATE ON projects FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER resource_hubs_updated_at
  BEFORE UPDATE ON resource_hubs FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER resource_hub_folders_updated_at
  BEFORE UPDATE ON resource_hub_folders FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER resource_hub_files_updated_at
  BEFORE UPDATE ON resource_hub_files FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER resource_hub_documents_updated_at
  BEFORE UPDATE ON resource_hub_documents FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();
CREATE TRIGGER comments_updated_at
  BEFORE UPDATE ON comments FOR EACH ROW WHEN (NEW.updated_at = OLD.updated_at) EXECUTE FUNCTION note_change();

-- Whoever changes the outcome of a record without saying by which activity: the activity that made it before did not make
-- this one.
CREATE FUNCTION forget_outcome() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.outcome_activity_id := NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER goals_outcome
  BEFORE UPDATE ON goals FOR EACH ROW
  WHEN (NEW.outcome_activity_id = OLD.outcome_activity_id AND (NEW.closed_at, NEW.success, NEW.closed_by_id) IS DISTINCT FROM (OLD.closed_at, OLD.success, OLD.closed_by_id))
  EXECUTE FUNCTION forget_outcome();
CREATE TRIGGER resource_hub_files_outcome
  BEFORE UPDATE ON resource_hub_files FOR EACH ROW
  WHEN (NEW.outcome_activity_id = OLD.outcome_activity_id AND NEW.deleted_at IS DISTINCT FROM OLD.deleted_at)
  EXECUTE FUNCTION forget_outcome();
CREATE TRIGGER resource_hub_documents_outcome
  BEFORE UPDATE ON resource_hub_documents FOR EACH ROW
  WHEN (NEW.outcome_activity_id = OLD.outcome_activity_id AND NEW.current_version IS DISTINCT FROM OLD.current_version)
  EXECUTE FUNCTION forget_outcome();

-- No goal is part of itself. OFFSET 0 makes PostgreSQL look up one goal at a time instead of all. The lock lets the second of
-- two who move goals at the same time see what the first has done. A transaction that sees nothing of others' moves
-- (REPEATABLE READ) fails with 40001 if a goal above, as it sees it, was moved meanwhile. It waits for nobody: who has only
-- just begun to change such a goal asks for the advisory lock later, and finds what this one has done. A goal that has no
-- part yet, like most that are imported, is above nothing: that is looked up by the index, also before anybody has counted
-- the rows, as an import of 16,000 goals read all of them for each one.
CREATE FUNCTION refuse_goal_cycle() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  above text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM pg_advisory_xact_lock(hashtext('goals'), hashtext(NEW.company_id));
  END IF;
  IF (TG_OP = 'INSERT' OR current_setting('transaction_isolation') = 'read committed')
    AND NOT EXISTS (SELECT FROM goals WHERE company_id = NEW.company_id AND parent_goal_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  WITH RECURSIVE ancestors AS (
    SELECT NEW.parent_goal_id AS id
    UNION
    SELECT g.parent_goal_id FROM ancestors a CROSS JOIN LATERAL (
      SELECT parent_goal_id FROM goals WHERE company_id = NEW.company_id AND id = a.id OFFSET 0
    ) g
  )
  SELECT array_agg(id) INTO above FROM ancestors;
  IF NEW.id = ANY (above) THEN
    RAISE EXCEPTION 'goal % would be part of itself', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'goals_no_cycle';
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM FROM goals WHERE company_id = NEW.company_id AND id = ANY (above) FOR SHARE SKIP LOCKED;
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER goals_no_cycle
  AFTER INSERT OR UPDATE OF parent_goal_id ON goals DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.parent_goal_id IS NOT NULL) EXECUTE FUNCTION refuse_goal_cycle();

-- No folder is inside itself: the same. A new folder needs no lock: nobody else can move anything into it yet.
CREATE FUNCTION refuse_folder_cycle() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
  above text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    PERFORM pg_advisory_xact_lock(hashtext('resource_hub_folders'), hashtext(NEW.company_id || ' ' || NEW.resource_hub_id));
  END IF;
  IF (TG_OP = 'INSERT' OR current_setting('transaction_isolation') = 'read committed') AND NOT EXISTS (
    SELECT FROM resource_hub_folders
    WHERE company_id = NEW.company_id AND resource_hub_id = NEW.resource_hub_id AND parent_folder_id = NEW.id) THEN
    RETURN NULL;
  END IF;
  WITH RECURSIVE ancestors AS (
    SELECT NEW.parent_folder_id AS id
    UNION
    SELECT f.parent_folder_id FROM ancestors a CROSS JOIN LATERAL (
      SELECT parent_folder_id FROM resource_hub_folders WHERE company_id = NEW.company_id AND id = a.id OFFSET 0
    ) f
  )
  SELECT array_agg(id) INTO above FROM ancestors;
  IF NEW.id = ANY (above) THEN
    RAISE EXCEPTION 'folder % would be inside itself', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'resource_hub_folders_no_cycle';
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM FROM resource_hub_folders WHERE company_id = NEW.company_id AND id = ANY (above) FOR SHARE SKIP LOCKED;
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER resource_hub_folders_no_cycle
  AFTER INSERT OR UPDATE OF parent_folder_id ON resource_hub_folders DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.parent_folder_id IS NOT NULL) EXECUTE FUNCTION refuse_folder_cycle();

-- A deleted file does not hold its folder: once the folder goes, the file belongs to the hub's root.
CREATE FUNCTION release_deleted_files() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE resource_hub_files SET parent_folder_id = NULL
  WHERE company_id = OLD.company_id AND resource_hub_id = OLD.resource_hub_id AND parent_folder_id = OLD.id
    AND deleted_at IS NOT NULL;
  RETURN OLD;
END
$$;
CREATE TRIGGER resource_hub_folders_release_deleted_files
  BEFORE DELETE ON resource_hub_folders FOR EACH ROW EXECUTE FUNCTION release_deleted_files();

-- A file is also found by the name that its blob was uploaded with.
CREATE FUNCTION copy_filename() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  SELECT b.filename INTO NEW.filename FROM blobs b WHERE b.company_id = NEW.company_id AND b.id = NEW.blob_id;
  RETURN NEW;
END
$$;
CREATE TRIGGER resource_hub_files_filename
  BEFORE INSERT OR UPDATE OF blob_id, filename ON resource_hub_files FOR EACH ROW EXECUTE FUNCTION copy_filename();
CREATE FUNCTION pass_filename_on() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE resource_hub_files SET filename = NEW.filename WHERE company_id = NEW.company_id AND blob_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER blobs_filename
  AFTER UPDATE OF filename ON blobs FOR EACH ROW WHEN (NEW.filename <> OLD.filename) EXECUTE FUNCTION pass_filename_on();

-- The history of a document is append-only.
CREATE FUNCTION refuse_rewriting_history() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RAISE EXCEPTION 'document versions are append-only' USING ERRCODE = 'check_violation', CONSTRAINT = 'document_versions_append_only';
END
$$;
CREATE TRIGGER document_versions_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON document_versions EXECUTE FUNCTION refuse_rewriting_history();

-- The main application need not say which version comes before.
CREATE FUNCTION number_previous_version() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.previous_version_number := NEW.version_number - 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER document_versions_previous
  BEFORE INSERT ON document_versions FOR EACH ROW WHEN (NEW.previous_version_number IS NULL AND NEW.version_number > 1)
  EXECUTE FUNCTION number_previous_version();

-- The current version is the latest, and a draft has none. Checked when the transaction ends, from both sides.
CREATE FUNCTION require_latest_version(company text, document text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
-- A published document has the name and content of its current version. It changes by a new one.
CREATE FUNCTION require_text_of_version(company text, document text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (
    SELECT FROM resource_hub_documents d
    JOIN document_versions v ON v.company_id = company AND v.document_id = d.id AND v.version_number = d.current_version
    WHERE d.company_id = company AND d.id = document AND (d.name <> v.title OR d.content <> v.content)
  ) THEN
    RAISE EXCEPTION 'document % has another name or content than its current version: add a version', document
      USING ERRCODE = 'check_violation', CONSTRAINT = 'resource_hub_documents_as_current_version';
  END IF;
END
$$;
-- One look-up for both rules of a document; which one is broken is found out only then.
CREATE FUNCTION require_latest_version_of_document() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (
    SELECT FROM resource_hub_documents d LEFT JOIN LATERAL (
      SELECT version_number, title, content FROM document_versions
      WHERE company_id = NEW.company_id AND document_id = NEW.id ORDER BY version_number DESC LIMIT 1
    ) v ON true
    WHERE d.company_id = NEW.company_id AND d.id = NEW.id
      AND (d.current_version IS DISTINCT FROM v.version_number OR d.name <> v.title OR d.content <> v.content)
  ) THEN
    PERFORM require_latest_version(NEW.company_id, NEW.id);
    PERFORM require_text_of_version(NEW.company_id, NEW.id);
  END IF;
  RETURN NULL;
END
$$;
-- The first rule, from the side of a version.
CREATE FUNCTION require_version_to_be_latest() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM require_latest_version(NEW.company_id, NEW.document_id);
  RETURN NULL;
END
$$;
-- The second rule, when a name or content changes without a version.
CREATE FUNCTION require_version_of_text() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.name <> OLD.name OR NEW.content <> OLD.content THEN
    PERFORM require_text_of_version(NEW.company_id, NEW.id);
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER resource_hub_documents_current_is_latest
  AFTER INSERT OR UPDATE OF current_version ON resource_hub_documents DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_latest_version_of_document();
CREATE CONSTRAINT TRIGGER document_versions_current_is_latest
  AFTER INSERT ON document_versions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_version_to_be_latest();
CREATE CONSTRAINT TRIGGER resource_hub_documents_as_current_version
  AFTER UPDATE ON resource_hub_documents DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.current_version = OLD.current_version) EXECUTE FUNCTION require_version_of_text();

-- The order in which changes of one record were made, whatever wrote them. The default of a column could not say it: now()
-- is when a transaction began, which then may have waited for another change of the record, and Citus collects the rows
-- of a statement with a default that is not constant. An operation says itself when it was, so that all it writes has one
-- time: it reads the clock when it holds the record.
CREATE FUNCTION record_activity() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.recorded_at := clock_timestamp();
  IF NEW.origin <> 'api' AND NEW.inserted_at = CURRENT_TIMESTAMP::timestamptz(3) THEN
    NEW.inserted_at := NEW.recorded_at;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER activities_recorded
  BEFORE INSERT ON activities FOR EACH ROW WHEN (NEW.recorded_at IS NULL) EXECUTE FUNCTION record_activity();

-- The name that the record has now, unless the writer gives it. An id of nothing is left to the foreign key.
CREATE FUNCTION name_activity() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.goal_id IS NOT NULL THEN
    SELECT name INTO NEW.name FROM goals WHERE company_id = NEW.company_id AND id = NEW.goal_id;
  ELSIF NEW.file_id IS NOT NULL THEN
    SELECT name INTO NEW.name FROM resource_hub_files WHERE company_id = NEW.company_id AND id = NEW.file_id;
  ELSE
    SELECT name INTO NEW.name FROM resource_hub_documents WHERE company_id = NEW.company_id AND id = NEW.document_id;
  END IF;
  NEW.name := coalesce(NEW.name, 'unknown');
  RETURN NEW;
END
$$;
CREATE TRIGGER activities_name
  BEFORE INSERT ON activities FOR EACH ROW WHEN (NEW.name IS NULL) EXECUTE FUNCTION name_activity();

-- An operation says itself what was said with its activity, which is shown with its token: nobody else adds a thread to it.
CREATE FUNCTION refuse_thread_of_operation() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT has_table_privilege('idempotency_keys', 'INSERT') AND EXISTS (
    SELECT FROM activities WHERE company_id = NEW.company_id AND id = NEW.activity_id AND origin = 'api'
  ) THEN
    RAISE EXCEPTION 'activity % is of an operation, which alone adds its thread', NEW.activity_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'comment_threads_of_operations';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER comment_threads_of_operations
  AFTER INSERT ON comment_threads FOR EACH ROW EXECUTE FUNCTION refuse_thread_of_operation();

-- As it was.
SET LOCAL search_path TO DEFAULT;

-- ── Access: one row for each person of the company and each resource ────────────────────────────────────────────────────

-- What a person may do with a space. Nobody has access to what an import has removed: a rung of its own and no condition, so
-- that PostgreSQL expects as many rows as without it.
CREATE VIEW space_access AS
  SELECT s.company_id, s.id AS space_id, p.id AS person_id,
    CASE WHEN s.removed_at IS NULL THEN access_level(p.is_owner, g.level, m.person_id IS NOT NULL, s.space_level, p.type = 'guest', s.company_level) ELSE 0 END AS level
  FROM spaces s
  JOIN people p ON p.company_id = s.company_id
  LEFT JOIN space_members m ON m.company_id = s.company_id AND m.space_id = s.id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = s.company_id AND g.space_id = s.id AND g.person_id = p.id;

-- The same for a goal, whose champion and reviewer have full access.
CREATE VIEW goal_access AS
  SELECT r.company_id, r.id AS goal_id, p.id AS person_id, p.suspended_at IS NOT NULL AS is_suspended,
    CASE WHEN r.removed_at IS NULL THEN access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) ELSE 0 END AS level
  FROM goals r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.company_id = r.company_id AND m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = r.company_id AND g.goal_id = r.id AND g.person_id = p.id;

-- The same for a project.
CREATE VIEW project_access AS
  SELECT r.company_id, r.id AS project_id, p.id AS person_id,
    CASE WHEN r.removed_at IS NULL THEN access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) ELSE 0 END AS level
  FROM projects r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.company_id = r.company_id AND m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.company_id = r.company_id AND g.project_id = r.id AND g.person_id = p.id;

-- The level on a hub is the one on its parent: as one join, so that Postgres can ask for a single hub. Of three parents
-- united it would first compute everybody's level on every hub.
CREATE VIEW resource_hub_access AS
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

-- Who may know of a token that it made an activity: its person, and the owners of the company.
CREATE VIEW token_viewers AS
  SELECT t.company_id, t.id AS token_id, p.id AS person_id
  FROM api_tokens t JOIN people p ON p.company_id = t.company_id
  WHERE p.is_owner OR p.id = t.person_id;

-- The activities of a goal that have a thread. The latest thread says who is subscribed to the goal.
CREATE VIEW goal_threads AS
  SELECT a.company_id, a.id, a.goal_id, t.id AS thread_id, a.inserted_at
  FROM activities a JOIN comment_threads t ON t.company_id = a.company_id AND t.activity_id = a.id
  WHERE a.goal_id IS NOT NULL;

-- A version compared with the one before it and with its document, so that no content is sent for it.
CREATE VIEW version_comparisons AS
  SELECT v.company_id, v.id AS version_id, coalesce(v.content <> p.content, false) AS content_changed,
    v.title = d.name AND v.content = d.content AS equals_document
  FROM document_versions v
  JOIN resource_hub_documents d ON d.company_id = v.company_id AND d.id = v.document_id
  LEFT JOIN document_versions p
    ON p.company_id = v.company_id AND p.document_id = v.document_id AND p.version_number = v.previous_version_number;

-- ── Where what a person may see is ──────────────────────────────────────────────────────────────────────────────────────

-- The ladder (goal_access, space_access) turned around. It only says where to look; what is found is shown by the ladder.

-- The shelves a person sees everything on: of the whole company (space_id null), or of a space they are a member of.
CREATE VIEW visible_goal_shelves AS
  SELECT p.company_id, p.id AS person_id, NULL::text AS space_id, shelf
  FROM people p, generate_series(0, 15) AS shelf
  WHERE p.is_owner OR (p.type <> 'guest' AND shelf & 8 <> 0)
  UNION ALL
  SELECT p.company_id, p.id, m.space_id, shelf
  FROM people p JOIN space_members m ON m.company_id = p.company_id AND m.person_id = p.id, generate_series(0, 15) AS shelf
  WHERE NOT p.is_owner AND shelf & 4 <> 0 AND (p.type = 'guest' OR shelf & 8 = 0);

-- The goals a person sees for their own sake: by a grant, as champion or as reviewer.
CREATE VIEW personal_goals AS
  SELECT a.company_id, a.person_id, a.goal_id FROM access_grants a WHERE a.goal_id IS NOT NULL AND a.level >= 10
  UNION ALL
  SELECT g.company_id, g.champion_id, g.id FROM goals g WHERE g.champion_id IS NOT NULL
  UNION ALL
  SELECT g.company_id, g.reviewer_id, g.id FROM goals g WHERE g.reviewer_id IS NOT NULL;

-- The projects likewise.
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

-- ── Rights ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

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

-- History is only added to, by every role but the owner of the tables: a gateway writes the number of an event, and a purge
-- removes what belongs to a file. Nor does anybody else change secrets and what counts as applied. goalpost roles does the
-- same. Citus, which knows no privileges of columns, leaves the numbers to whoever may change an activity.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT c.oid::regclass AS name, c.relname = 'activities' AS is_numbered, a.privilege_type AS privilege,
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS role
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.relnamespace = 'public'::regnamespace AND a.grantee <> c.relowner AND CASE
      WHEN c.relname = 'activities' THEN a.privilege_type = 'UPDATE' AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
      WHEN c.relname IN ('comment_threads', 'document_versions') THEN a.privilege_type = 'UPDATE'
      WHEN c.relname = 'confirmation_secrets' THEN a.privilege_type IN ('UPDATE', 'DELETE')
      WHEN c.relname = '_prisma_migrations' THEN a.privilege_type IN ('INSERT', 'UPDATE', 'DELETE')
    END
  LOOP
    EXECUTE format('REVOKE %s ON %s FROM %s', granted.privilege, granted.name, granted.role);
    IF granted.is_numbered THEN
      EXECUTE format('GRANT UPDATE (sequence) ON %s TO %s', granted.name, granted.role);
    END IF;
  END LOOP;
END
$$;

-- Ends a message with a SQLSTATE of its own unless a token is still as a gateway has found it: what follows is not executed.
CREATE FUNCTION require_known_token(tokens bigint) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF tokens = 0 THEN
    RAISE EXCEPTION 'the token is not as it was found' USING ERRCODE = 'GP401';
  END IF;
  RETURN true;
END $$;

-- Citus needs it on the node of each company.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    PERFORM create_distributed_function('require_known_token(bigint)');
  END IF;
END $$;
