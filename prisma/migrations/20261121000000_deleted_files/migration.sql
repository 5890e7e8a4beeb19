-- The deleted files of a hub, the latest deletion first.
CREATE INDEX resource_hub_files_deleted ON resource_hub_files (resource_hub_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
