-- Ids of new rows: UUIDv7 (RFC 9562), so that they sort by time on every supported Postgres version.
CREATE FUNCTION new_id() RETURNS text LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid::text
$$;



-- CreateEnum
CREATE TYPE "person_type" AS ENUM ('human', 'guest', 'ai');

-- CreateEnum
CREATE TYPE "contextual_date_type" AS ENUM ('day', 'month', 'quarter', 'year');

-- CreateEnum
CREATE TYPE "progress_status" AS ENUM ('pending', 'on_track', 'caution', 'off_track', 'paused');

-- CreateEnum
CREATE TYPE "blob_status" AS ENUM ('pending', 'uploaded', 'deleted');

-- CreateEnum
CREATE TYPE "document_state" AS ENUM ('draft', 'published');

-- CreateEnum
CREATE TYPE "version_origin" AS ENUM ('published', 'edited', 'restored');

-- CreateEnum
CREATE TYPE "activity_action" AS ENUM ('goal_created', 'goal_closed', 'goal_reopened', 'resource_hub_file_created', 'resource_hub_file_deleted', 'resource_hub_document_created', 'resource_hub_document_edited', 'document_version_restored');

-- CreateEnum
CREATE TYPE "subscription_type" AS ENUM ('invited', 'joined', 'mentioned');

-- CreateTable
CREATE TABLE "companies" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "name" TEXT NOT NULL,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "companies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "people" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "company_id" TEXT NOT NULL,
    "full_name" TEXT NOT NULL,
    "title" TEXT,
    "email" TEXT,
    "avatar_url" TEXT,
    "type" "person_type" NOT NULL DEFAULT 'human',
    "is_owner" BOOLEAN NOT NULL DEFAULT false,
    "suspended_at" TIMESTAMPTZ(3),
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "people_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "person_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "last_four" TEXT NOT NULL,
    "can_write" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "spaces" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "company_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "mission" TEXT,
    "is_company_space" BOOLEAN NOT NULL DEFAULT false,
    "public_level" INTEGER NOT NULL DEFAULT 0,
    "company_level" INTEGER NOT NULL DEFAULT 70,
    "space_level" INTEGER NOT NULL DEFAULT 100,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "space_members" (
    "company_id" TEXT NOT NULL,
    "space_id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "space_members_pkey" PRIMARY KEY ("space_id","person_id")
);

-- CreateTable
CREATE TABLE "access_grants" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "company_id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "space_id" TEXT,
    "goal_id" TEXT,
    "project_id" TEXT,
    "level" INTEGER NOT NULL,

    CONSTRAINT "access_grants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "goals" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "company_id" TEXT NOT NULL,
    "space_id" TEXT NOT NULL,
    "parent_goal_id" TEXT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "champion_id" TEXT,
    "reviewer_id" TEXT,
    "start_date_type" "contextual_date_type",
    "start_date_value" TEXT,
    "start_date" DATE,
    "end_date_type" "contextual_date_type",
    "end_date_value" TEXT,
    "end_date" DATE,
    "public_level" INTEGER NOT NULL DEFAULT 0,
    "company_level" INTEGER NOT NULL DEFAULT 70,
    "space_level" INTEGER NOT NULL DEFAULT 100,
    "next_update_scheduled_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),
    "closed_by_id" TEXT,
    "success" BOOLEAN,
    "archived_at" TIMESTAMPTZ(3),
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "goals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "targets" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "goal_id" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "from" DOUBLE PRECISION NOT NULL,
    "to" DOUBLE PRECISION NOT NULL,
    "unit" TEXT,
    "value" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "targets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "goal_checks" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "goal_id" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "completed" BOOLEAN NOT NULL DEFAULT false,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "goal_checks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "goal_progress_updates" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "goal_id" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "status" "progress_status" NOT NULL,
    "message" TEXT,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by_id" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "goal_progress_updates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "goal_retrospectives" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "goal_id" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "goal_retrospectives_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "company_id" TEXT NOT NULL,
    "space_id" TEXT NOT NULL,
    "goal_id" TEXT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" "progress_status" NOT NULL DEFAULT 'pending',
    "champion_id" TEXT,
    "reviewer_id" TEXT,
    "public_level" INTEGER NOT NULL DEFAULT 0,
    "company_level" INTEGER NOT NULL DEFAULT 70,
    "space_level" INTEGER NOT NULL DEFAULT 100,
    "closed_at" TIMESTAMPTZ(3),
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resource_hubs" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "company_id" TEXT NOT NULL,
    "space_id" TEXT,
    "goal_id" TEXT,
    "project_id" TEXT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "resource_hubs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resource_hub_folders" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "resource_hub_id" TEXT NOT NULL,
    "parent_folder_id" TEXT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "resource_hub_folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "blobs" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "status" "blob_status" NOT NULL DEFAULT 'uploaded',
    "filename" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "content_type" TEXT NOT NULL,
    "width" INTEGER,
    "height" INTEGER,
    "url" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "blobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resource_hub_files" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "resource_hub_id" TEXT NOT NULL,
    "parent_folder_id" TEXT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "author_id" TEXT NOT NULL,
    "blob_id" TEXT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "deleted_by_id" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "resource_hub_files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resource_hub_documents" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "resource_hub_id" TEXT NOT NULL,
    "parent_folder_id" TEXT,
    "name" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "state" "document_state" NOT NULL DEFAULT 'draft',
    "current_version" INTEGER,
    "public_token" TEXT,
    "published_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "resource_hub_documents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "document_versions" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "document_id" TEXT NOT NULL,
    "version_number" INTEGER NOT NULL,
    "previous_version_number" INTEGER,
    "title" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "editor_id" TEXT NOT NULL,
    "origin" "version_origin" NOT NULL,
    "restored_from_version_number" INTEGER,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "document_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "activities" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "action" "activity_action" NOT NULL,
    "author_id" TEXT NOT NULL,
    "goal_id" TEXT,
    "file_id" TEXT,
    "document_id" TEXT,
    "document_version_id" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "activities_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "comment_threads" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "activity_id" TEXT NOT NULL,
    "message" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "comment_threads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "comments" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "author_id" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "thread_id" TEXT,
    "progress_update_id" TEXT,
    "retrospective_id" TEXT,
    "file_id" TEXT,
    "document_id" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "comments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "reactions" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "emoji" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "comment_id" TEXT,
    "progress_update_id" TEXT,
    "file_id" TEXT,
    "document_id" TEXT,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reactions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscription_lists" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "send_to_everyone" BOOLEAN NOT NULL DEFAULT false,
    "thread_id" TEXT,
    "file_id" TEXT,
    "document_id" TEXT,

    CONSTRAINT "subscription_lists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "subscription_list_id" TEXT NOT NULL,
    "person_id" TEXT NOT NULL,
    "type" "subscription_type" NOT NULL,
    "canceled" BOOLEAN NOT NULL DEFAULT false,
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" TEXT NOT NULL DEFAULT new_id(),
    "person_id" TEXT NOT NULL,
    "activity_id" TEXT NOT NULL,
    "read_at" TIMESTAMPTZ(3),
    "inserted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "people_company_id_id_key" ON "people"("company_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens"("hash");

-- CreateIndex
CREATE INDEX "api_tokens_person_id_idx" ON "api_tokens"("person_id");

-- CreateIndex
CREATE UNIQUE INDEX "spaces_company_id_id_key" ON "spaces"("company_id", "id");

-- CreateIndex
CREATE INDEX "space_members_company_id_space_id_idx" ON "space_members"("company_id", "space_id");

-- CreateIndex
CREATE INDEX "space_members_company_id_person_id_idx" ON "space_members"("company_id", "person_id");

-- CreateIndex
CREATE INDEX "space_members_person_id_idx" ON "space_members"("person_id");

-- CreateIndex
CREATE INDEX "access_grants_company_id_person_id_idx" ON "access_grants"("company_id", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "access_grants_space_id_person_id_key" ON "access_grants"("space_id", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "access_grants_goal_id_person_id_key" ON "access_grants"("goal_id", "person_id");

-- CreateIndex
CREATE UNIQUE INDEX "access_grants_project_id_person_id_key" ON "access_grants"("project_id", "person_id");

-- CreateIndex
CREATE INDEX "goals_company_id_space_id_idx" ON "goals"("company_id", "space_id");

-- CreateIndex
CREATE INDEX "goals_company_id_parent_goal_id_idx" ON "goals"("company_id", "parent_goal_id");

-- CreateIndex
CREATE INDEX "goals_company_id_champion_id_idx" ON "goals"("company_id", "champion_id");

-- CreateIndex
CREATE INDEX "goals_company_id_reviewer_id_idx" ON "goals"("company_id", "reviewer_id");

-- CreateIndex
CREATE INDEX "goals_company_id_closed_by_id_idx" ON "goals"("company_id", "closed_by_id");

-- CreateIndex
CREATE UNIQUE INDEX "goals_company_id_id_key" ON "goals"("company_id", "id");

-- CreateIndex
CREATE INDEX "targets_goal_id_index_idx" ON "targets"("goal_id", "index");

-- CreateIndex
CREATE INDEX "goal_checks_goal_id_index_idx" ON "goal_checks"("goal_id", "index");

-- CreateIndex
CREATE INDEX "goal_progress_updates_goal_id_inserted_at_id_idx" ON "goal_progress_updates"("goal_id", "inserted_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "goal_progress_updates_author_id_idx" ON "goal_progress_updates"("author_id");

-- CreateIndex
CREATE INDEX "goal_progress_updates_acknowledged_by_id_idx" ON "goal_progress_updates"("acknowledged_by_id");

-- CreateIndex
CREATE INDEX "goal_retrospectives_goal_id_inserted_at_id_idx" ON "goal_retrospectives"("goal_id", "inserted_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "goal_retrospectives_author_id_idx" ON "goal_retrospectives"("author_id");

-- CreateIndex
CREATE INDEX "projects_company_id_space_id_idx" ON "projects"("company_id", "space_id");

-- CreateIndex
CREATE INDEX "projects_company_id_goal_id_idx" ON "projects"("company_id", "goal_id");

-- CreateIndex
CREATE INDEX "projects_company_id_champion_id_idx" ON "projects"("company_id", "champion_id");

-- CreateIndex
CREATE INDEX "projects_company_id_reviewer_id_idx" ON "projects"("company_id", "reviewer_id");

-- CreateIndex
CREATE UNIQUE INDEX "projects_company_id_id_key" ON "projects"("company_id", "id");

-- CreateIndex
CREATE INDEX "resource_hubs_company_id_space_id_idx" ON "resource_hubs"("company_id", "space_id");

-- CreateIndex
CREATE INDEX "resource_hubs_company_id_goal_id_idx" ON "resource_hubs"("company_id", "goal_id");

-- CreateIndex
CREATE INDEX "resource_hubs_company_id_project_id_idx" ON "resource_hubs"("company_id", "project_id");

-- CreateIndex
CREATE INDEX "resource_hub_folders_resource_hub_id_parent_folder_id_idx" ON "resource_hub_folders"("resource_hub_id", "parent_folder_id");

-- CreateIndex
CREATE UNIQUE INDEX "resource_hub_folders_resource_hub_id_id_key" ON "resource_hub_folders"("resource_hub_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "resource_hub_files_blob_id_key" ON "resource_hub_files"("blob_id");

-- CreateIndex
CREATE INDEX "resource_hub_files_resource_hub_id_parent_folder_id_idx" ON "resource_hub_files"("resource_hub_id", "parent_folder_id");

-- CreateIndex
CREATE INDEX "resource_hub_files_author_id_idx" ON "resource_hub_files"("author_id");

-- CreateIndex
CREATE INDEX "resource_hub_files_deleted_by_id_idx" ON "resource_hub_files"("deleted_by_id");

-- CreateIndex
CREATE UNIQUE INDEX "resource_hub_documents_public_token_key" ON "resource_hub_documents"("public_token");

-- CreateIndex
CREATE INDEX "resource_hub_documents_resource_hub_id_parent_folder_id_idx" ON "resource_hub_documents"("resource_hub_id", "parent_folder_id");

-- CreateIndex
CREATE INDEX "resource_hub_documents_author_id_idx" ON "resource_hub_documents"("author_id");

-- CreateIndex
CREATE INDEX "document_versions_document_id_previous_version_number_idx" ON "document_versions"("document_id", "previous_version_number");

-- CreateIndex
CREATE INDEX "document_versions_document_id_restored_from_version_number_idx" ON "document_versions"("document_id", "restored_from_version_number");

-- CreateIndex
CREATE INDEX "document_versions_editor_id_idx" ON "document_versions"("editor_id");

-- CreateIndex
CREATE UNIQUE INDEX "document_versions_document_id_version_number_key" ON "document_versions"("document_id", "version_number");

-- CreateIndex
CREATE INDEX "activities_goal_id_inserted_at_id_idx" ON "activities"("goal_id", "inserted_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "activities_file_id_inserted_at_id_idx" ON "activities"("file_id", "inserted_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "activities_document_id_inserted_at_id_idx" ON "activities"("document_id", "inserted_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "activities_document_version_id_idx" ON "activities"("document_version_id");

-- CreateIndex
CREATE INDEX "activities_author_id_idx" ON "activities"("author_id");

-- CreateIndex
CREATE UNIQUE INDEX "comment_threads_activity_id_key" ON "comment_threads"("activity_id");

-- CreateIndex
CREATE INDEX "comments_author_id_idx" ON "comments"("author_id");

-- CreateIndex
CREATE INDEX "comments_thread_id_idx" ON "comments"("thread_id");

-- CreateIndex
CREATE INDEX "comments_progress_update_id_idx" ON "comments"("progress_update_id");

-- CreateIndex
CREATE INDEX "comments_retrospective_id_idx" ON "comments"("retrospective_id");

-- CreateIndex
CREATE INDEX "comments_file_id_idx" ON "comments"("file_id");

-- CreateIndex
CREATE INDEX "comments_document_id_idx" ON "comments"("document_id");

-- CreateIndex
CREATE INDEX "reactions_person_id_idx" ON "reactions"("person_id");

-- CreateIndex
CREATE UNIQUE INDEX "reactions_comment_id_person_id_emoji_key" ON "reactions"("comment_id", "person_id", "emoji");

-- CreateIndex
CREATE UNIQUE INDEX "reactions_progress_update_id_person_id_emoji_key" ON "reactions"("progress_update_id", "person_id", "emoji");

-- CreateIndex
CREATE UNIQUE INDEX "reactions_file_id_person_id_emoji_key" ON "reactions"("file_id", "person_id", "emoji");

-- CreateIndex
CREATE UNIQUE INDEX "reactions_document_id_person_id_emoji_key" ON "reactions"("document_id", "person_id", "emoji");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_lists_thread_id_key" ON "subscription_lists"("thread_id");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_lists_file_id_key" ON "subscription_lists"("file_id");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_lists_document_id_key" ON "subscription_lists"("document_id");

-- CreateIndex
CREATE INDEX "subscriptions_person_id_idx" ON "subscriptions"("person_id");

-- CreateIndex
CREATE UNIQUE INDEX "subscriptions_subscription_list_id_person_id_key" ON "subscriptions"("subscription_list_id", "person_id");

-- CreateIndex
CREATE INDEX "notifications_person_id_inserted_at_id_idx" ON "notifications"("person_id", "inserted_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "notifications_activity_id_person_id_key" ON "notifications"("activity_id", "person_id");

-- AddForeignKey
ALTER TABLE "people" ADD CONSTRAINT "people_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spaces" ADD CONSTRAINT "spaces_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "space_members" ADD CONSTRAINT "space_members_company_id_space_id_fkey" FOREIGN KEY ("company_id", "space_id") REFERENCES "spaces"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "space_members" ADD CONSTRAINT "space_members_company_id_person_id_fkey" FOREIGN KEY ("company_id", "person_id") REFERENCES "people"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_company_id_person_id_fkey" FOREIGN KEY ("company_id", "person_id") REFERENCES "people"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_company_id_space_id_fkey" FOREIGN KEY ("company_id", "space_id") REFERENCES "spaces"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_company_id_goal_id_fkey" FOREIGN KEY ("company_id", "goal_id") REFERENCES "goals"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_company_id_project_id_fkey" FOREIGN KEY ("company_id", "project_id") REFERENCES "projects"("company_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_company_id_space_id_fkey" FOREIGN KEY ("company_id", "space_id") REFERENCES "spaces"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_company_id_parent_goal_id_fkey" FOREIGN KEY ("company_id", "parent_goal_id") REFERENCES "goals"("company_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_company_id_champion_id_fkey" FOREIGN KEY ("company_id", "champion_id") REFERENCES "people"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_company_id_reviewer_id_fkey" FOREIGN KEY ("company_id", "reviewer_id") REFERENCES "people"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goals" ADD CONSTRAINT "goals_company_id_closed_by_id_fkey" FOREIGN KEY ("company_id", "closed_by_id") REFERENCES "people"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "targets" ADD CONSTRAINT "targets_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_checks" ADD CONSTRAINT "goal_checks_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_progress_updates" ADD CONSTRAINT "goal_progress_updates_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_progress_updates" ADD CONSTRAINT "goal_progress_updates_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_progress_updates" ADD CONSTRAINT "goal_progress_updates_acknowledged_by_id_fkey" FOREIGN KEY ("acknowledged_by_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_retrospectives" ADD CONSTRAINT "goal_retrospectives_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "goal_retrospectives" ADD CONSTRAINT "goal_retrospectives_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_company_id_space_id_fkey" FOREIGN KEY ("company_id", "space_id") REFERENCES "spaces"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_company_id_goal_id_fkey" FOREIGN KEY ("company_id", "goal_id") REFERENCES "goals"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_company_id_champion_id_fkey" FOREIGN KEY ("company_id", "champion_id") REFERENCES "people"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_company_id_reviewer_id_fkey" FOREIGN KEY ("company_id", "reviewer_id") REFERENCES "people"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hubs" ADD CONSTRAINT "resource_hubs_company_id_fkey" FOREIGN KEY ("company_id") REFERENCES "companies"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hubs" ADD CONSTRAINT "resource_hubs_company_id_space_id_fkey" FOREIGN KEY ("company_id", "space_id") REFERENCES "spaces"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hubs" ADD CONSTRAINT "resource_hubs_company_id_goal_id_fkey" FOREIGN KEY ("company_id", "goal_id") REFERENCES "goals"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hubs" ADD CONSTRAINT "resource_hubs_company_id_project_id_fkey" FOREIGN KEY ("company_id", "project_id") REFERENCES "projects"("company_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_folders" ADD CONSTRAINT "resource_hub_folders_resource_hub_id_fkey" FOREIGN KEY ("resource_hub_id") REFERENCES "resource_hubs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_folders" ADD CONSTRAINT "resource_hub_folders_resource_hub_id_parent_folder_id_fkey" FOREIGN KEY ("resource_hub_id", "parent_folder_id") REFERENCES "resource_hub_folders"("resource_hub_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "resource_hub_files" ADD CONSTRAINT "resource_hub_files_resource_hub_id_fkey" FOREIGN KEY ("resource_hub_id") REFERENCES "resource_hubs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_files" ADD CONSTRAINT "resource_hub_files_resource_hub_id_parent_folder_id_fkey" FOREIGN KEY ("resource_hub_id", "parent_folder_id") REFERENCES "resource_hub_folders"("resource_hub_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "resource_hub_files" ADD CONSTRAINT "resource_hub_files_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_files" ADD CONSTRAINT "resource_hub_files_deleted_by_id_fkey" FOREIGN KEY ("deleted_by_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_files" ADD CONSTRAINT "resource_hub_files_blob_id_fkey" FOREIGN KEY ("blob_id") REFERENCES "blobs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_documents" ADD CONSTRAINT "resource_hub_documents_resource_hub_id_fkey" FOREIGN KEY ("resource_hub_id") REFERENCES "resource_hubs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_documents" ADD CONSTRAINT "resource_hub_documents_resource_hub_id_parent_folder_id_fkey" FOREIGN KEY ("resource_hub_id", "parent_folder_id") REFERENCES "resource_hub_folders"("resource_hub_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "resource_hub_documents" ADD CONSTRAINT "resource_hub_documents_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_hub_documents" ADD CONSTRAINT "resource_hub_documents_id_current_version_fkey" FOREIGN KEY ("id", "current_version") REFERENCES "document_versions"("document_id", "version_number") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "document_versions" ADD CONSTRAINT "document_versions_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "resource_hub_documents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document_versions" ADD CONSTRAINT "document_versions_document_id_previous_version_number_fkey" FOREIGN KEY ("document_id", "previous_version_number") REFERENCES "document_versions"("document_id", "version_number") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "document_versions" ADD CONSTRAINT "document_versions_document_id_restored_from_version_number_fkey" FOREIGN KEY ("document_id", "restored_from_version_number") REFERENCES "document_versions"("document_id", "version_number") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "document_versions" ADD CONSTRAINT "document_versions_editor_id_fkey" FOREIGN KEY ("editor_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activities" ADD CONSTRAINT "activities_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activities" ADD CONSTRAINT "activities_goal_id_fkey" FOREIGN KEY ("goal_id") REFERENCES "goals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activities" ADD CONSTRAINT "activities_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "resource_hub_files"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activities" ADD CONSTRAINT "activities_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "resource_hub_documents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activities" ADD CONSTRAINT "activities_document_version_id_fkey" FOREIGN KEY ("document_version_id") REFERENCES "document_versions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comment_threads" ADD CONSTRAINT "comment_threads_activity_id_fkey" FOREIGN KEY ("activity_id") REFERENCES "activities"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_thread_id_fkey" FOREIGN KEY ("thread_id") REFERENCES "comment_threads"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_progress_update_id_fkey" FOREIGN KEY ("progress_update_id") REFERENCES "goal_progress_updates"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_retrospective_id_fkey" FOREIGN KEY ("retrospective_id") REFERENCES "goal_retrospectives"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "resource_hub_files"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "resource_hub_documents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_comment_id_fkey" FOREIGN KEY ("comment_id") REFERENCES "comments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_progress_update_id_fkey" FOREIGN KEY ("progress_update_id") REFERENCES "goal_progress_updates"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "resource_hub_files"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "resource_hub_documents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_lists" ADD CONSTRAINT "subscription_lists_thread_id_fkey" FOREIGN KEY ("thread_id") REFERENCES "comment_threads"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_lists" ADD CONSTRAINT "subscription_lists_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "resource_hub_files"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_lists" ADD CONSTRAINT "subscription_lists_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "resource_hub_documents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_subscription_list_id_fkey" FOREIGN KEY ("subscription_list_id") REFERENCES "subscription_lists"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "people"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_activity_id_fkey" FOREIGN KEY ("activity_id") REFERENCES "activities"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- From here on: what the Prisma schema cannot say.

-- Rows of one import may come in any order; these are checked when the transaction ends.
ALTER TABLE goals ALTER CONSTRAINT goals_company_id_parent_goal_id_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE resource_hub_folders ALTER CONSTRAINT resource_hub_folders_resource_hub_id_parent_folder_id_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE resource_hub_documents ALTER CONSTRAINT resource_hub_documents_id_current_version_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE document_versions ALTER CONSTRAINT document_versions_document_id_previous_version_number_fkey DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE document_versions ALTER CONSTRAINT document_versions_document_id_restored_from_version_number_fkey DEFERRABLE INITIALLY DEFERRED;

-- ── Access ──────────────────────────────────────────────────────────────────────────────────────────────────────

ALTER TABLE access_grants
  ADD CONSTRAINT access_grants_one_resource CHECK (num_nonnulls(space_id, goal_id, project_id) = 1),
  ADD CONSTRAINT access_grants_level CHECK (level IN (0, 10, 40, 70, 100));
ALTER TABLE spaces
  ADD CONSTRAINT spaces_levels CHECK (public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100) AND space_level IN (0, 10, 40, 70, 100));
ALTER TABLE goals
  ADD CONSTRAINT goals_levels CHECK (public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100) AND space_level IN (0, 10, 40, 70, 100));
ALTER TABLE projects
  ADD CONSTRAINT projects_levels CHECK (public_level IN (0, 10, 40, 70, 100) AND company_level IN (0, 10, 40, 70, 100) AND space_level IN (0, 10, 40, 70, 100));

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
  SELECT s.id AS space_id, p.id AS person_id,
    access_level(p.is_owner, g.level, m.person_id IS NOT NULL, s.space_level, p.type = 'guest', s.company_level) AS level
  FROM spaces s
  JOIN people p ON p.company_id = s.company_id
  LEFT JOIN space_members m ON m.space_id = s.id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.space_id = s.id AND g.person_id = p.id;

CREATE VIEW goal_access AS
  SELECT r.id AS goal_id, p.id AS person_id,
    access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) AS level
  FROM goals r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.goal_id = r.id AND g.person_id = p.id;

CREATE VIEW project_access AS
  SELECT r.id AS project_id, p.id AS person_id,
    access_level(p.is_owner, CASE WHEN p.id IN (r.champion_id, r.reviewer_id) THEN 100 ELSE g.level END,
      m.person_id IS NOT NULL, r.space_level, p.type = 'guest', r.company_level) AS level
  FROM projects r
  JOIN people p ON p.company_id = r.company_id
  LEFT JOIN space_members m ON m.space_id = r.space_id AND m.person_id = p.id
  LEFT JOIN access_grants g ON g.project_id = r.id AND g.person_id = p.id;

CREATE VIEW resource_hub_access AS
  SELECT h.id AS resource_hub_id, a.person_id, a.level FROM resource_hubs h JOIN space_access a ON a.space_id = h.space_id
  UNION ALL
  SELECT h.id, a.person_id, a.level FROM resource_hubs h JOIN goal_access a ON a.goal_id = h.goal_id
  UNION ALL
  SELECT h.id, a.person_id, a.level FROM resource_hubs h JOIN project_access a ON a.project_id = h.project_id;

-- ── Goals and projects ──────────────────────────────────────────────────────────────────────────────────────────

ALTER TABLE goals
  ADD CONSTRAINT goals_name CHECK (name <> ''),
  ADD CONSTRAINT goals_parent CHECK (parent_goal_id <> id),
  ADD CONSTRAINT goals_closed CHECK ((closed_at IS NULL) = (success IS NULL) AND (closed_at IS NOT NULL OR closed_by_id IS NULL)),
  ADD CONSTRAINT goals_start_date CHECK (num_nonnulls(start_date_type, start_date_value, start_date) IN (0, 3)),
  ADD CONSTRAINT goals_end_date CHECK (num_nonnulls(end_date_type, end_date_value, end_date) IN (0, 3));
ALTER TABLE projects ADD CONSTRAINT projects_name CHECK (name <> '');
ALTER TABLE goal_progress_updates
  ADD CONSTRAINT goal_progress_updates_acknowledged CHECK ((acknowledged_at IS NULL) = (acknowledged_by_id IS NULL));

-- ── The resource hub ────────────────────────────────────────────────────────────────────────────────────────────

ALTER TABLE resource_hubs ADD CONSTRAINT resource_hubs_one_parent CHECK (num_nonnulls(space_id, goal_id, project_id) = 1);
ALTER TABLE resource_hub_folders ADD CONSTRAINT resource_hub_folders_name CHECK (name <> '');
ALTER TABLE blobs
  ADD CONSTRAINT blobs_size CHECK (size BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT blobs_dimensions CHECK (width > 0 AND height > 0);
ALTER TABLE resource_hub_files
  ADD CONSTRAINT resource_hub_files_name CHECK (name <> ''),
  ADD CONSTRAINT resource_hub_files_deleted CHECK (deleted_at IS NOT NULL OR deleted_by_id IS NULL);
ALTER TABLE resource_hub_documents
  ADD CONSTRAINT resource_hub_documents_name CHECK (name <> ''),
  ADD CONSTRAINT resource_hub_documents_draft CHECK ((state = 'draft') = (current_version IS NULL)),
  ADD CONSTRAINT resource_hub_documents_published CHECK ((state = 'draft') = (published_at IS NULL)),
  ADD CONSTRAINT resource_hub_documents_public CHECK (public_token IS NULL OR state = 'published');
ALTER TABLE document_versions
  ADD CONSTRAINT document_versions_number CHECK (version_number > 0),
  ADD CONSTRAINT document_versions_title CHECK (title <> ''),
  ADD CONSTRAINT document_versions_previous CHECK (previous_version_number IS NOT DISTINCT FROM nullif(version_number - 1, 0)),
  ADD CONSTRAINT document_versions_restored CHECK ((origin = 'restored') = (restored_from_version_number IS NOT NULL)),
  ADD CONSTRAINT document_versions_restored_from CHECK (restored_from_version_number < version_number);

CREATE FUNCTION refuse_folder_cycle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    WITH RECURSIVE ancestors AS (
      SELECT NEW.parent_folder_id AS id
      UNION
      SELECT f.parent_folder_id FROM resource_hub_folders f JOIN ancestors a ON f.id = a.id
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

CREATE FUNCTION refuse_rewriting_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'document versions are append-only' USING ERRCODE = 'check_violation', CONSTRAINT = 'document_versions_append_only';
END
$$;
CREATE TRIGGER document_versions_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON document_versions EXECUTE FUNCTION refuse_rewriting_history();

-- The current version is the latest one, and a draft has none. Checked when the transaction ends.
CREATE FUNCTION require_latest_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  document text;
BEGIN
  IF TG_TABLE_NAME = 'document_versions' THEN document := NEW.document_id; ELSE document := NEW.id; END IF;
  IF EXISTS (
    SELECT FROM resource_hub_documents d WHERE d.id = document AND d.current_version IS DISTINCT FROM
      (SELECT max(v.version_number) FROM document_versions v WHERE v.document_id = d.id)
  ) THEN
    RAISE EXCEPTION 'the current version of document % is not its latest', document
      USING ERRCODE = 'check_violation', CONSTRAINT = 'resource_hub_documents_current_is_latest';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER resource_hub_documents_current_is_latest
  AFTER INSERT OR UPDATE OF current_version ON resource_hub_documents DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_latest_version();
CREATE CONSTRAINT TRIGGER document_versions_current_is_latest
  AFTER INSERT ON document_versions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_latest_version();

-- ── Activities and what hangs on them ───────────────────────────────────────────────────────────────────────────

ALTER TABLE activities
  ADD CONSTRAINT activities_one_subject CHECK (num_nonnulls(goal_id, file_id, document_id) = 1),
  ADD CONSTRAINT activities_subject_of_action CHECK (CASE
    WHEN action IN ('goal_created', 'goal_closed', 'goal_reopened') THEN goal_id IS NOT NULL
    WHEN action IN ('resource_hub_file_created', 'resource_hub_file_deleted') THEN file_id IS NOT NULL
    ELSE document_id IS NOT NULL END),
  ADD CONSTRAINT activities_restored_version CHECK ((action = 'document_version_restored') = (document_version_id IS NOT NULL));
ALTER TABLE comments
  ADD CONSTRAINT comments_one_subject CHECK (num_nonnulls(thread_id, progress_update_id, retrospective_id, file_id, document_id) = 1);
ALTER TABLE reactions
  ADD CONSTRAINT reactions_one_subject CHECK (num_nonnulls(comment_id, progress_update_id, file_id, document_id) = 1);
ALTER TABLE subscription_lists
  ADD CONSTRAINT subscription_lists_one_parent CHECK (num_nonnulls(thread_id, file_id, document_id) = 1);
ALTER TABLE api_tokens
  ADD CONSTRAINT api_tokens_hash CHECK (length(hash) = 32),
  ADD CONSTRAINT api_tokens_last_four CHECK (length(last_four) = 4);
