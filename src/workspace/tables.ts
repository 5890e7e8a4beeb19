/**
 * The tables that an import writes, with their columns; all but `companies` also have `company_id`. Each comes after the
 * tables that its rows refer to.
 */
export const columns = {
  companies: 'id name inserted_at',
  people: 'id full_name title email avatar_url type is_owner suspended_at inserted_at',
  spaces: 'id name mission is_company_space public_level company_level space_level inserted_at updated_at',
  space_members: 'space_id person_id inserted_at',
  goals:
    'id space_id parent_goal_id name description champion_id reviewer_id start_date_type start_date_value ' +
    'start_date end_date_type end_date_value end_date public_level company_level space_level next_update_scheduled_at ' +
    'closed_at closed_by_id success archived_at inserted_at updated_at',
  targets: 'id goal_id index name from to unit value',
  goal_checks: 'id goal_id index name completed inserted_at updated_at',
  goal_progress_updates: 'id goal_id author_id status message acknowledged_at acknowledged_by_id inserted_at',
  goal_retrospectives: 'id goal_id author_id title content inserted_at',
  projects:
    'id space_id goal_id name description status champion_id reviewer_id public_level company_level ' +
    'space_level closed_at inserted_at updated_at',
  access_grants: 'id person_id space_id goal_id project_id level',
  resource_hubs: 'id space_id goal_id project_id name description inserted_at updated_at',
  resource_hub_folders: 'id resource_hub_id parent_folder_id name description inserted_at updated_at',
  blobs: 'id status filename size content_type width height url inserted_at',
  resource_hub_files:
    'id resource_hub_id parent_folder_id name description author_id blob_id deleted_at deleted_by_id inserted_at updated_at',
  public_links: 'token',
  resource_hub_documents:
    'id resource_hub_id parent_folder_id name content author_id state current_version public_token published_at ' +
    'deleted_at inserted_at updated_at',
  document_versions:
    'id document_id version_number previous_version_number title content editor_id origin ' +
    'restored_from_version_number inserted_at',
  activities:
    'id action author_id goal_id file_id document_id document_version_id name undone_success undone_closed_at ' +
    'undone_closed_by_id inserted_at',
  comment_threads: 'id activity_id message inserted_at',
  comments:
    'id author_id content thread_id progress_update_id retrospective_id file_id document_id inserted_at updated_at deleted_at',
  reactions: 'id emoji person_id comment_id progress_update_id file_id document_id inserted_at',
  subscription_lists: 'id send_to_everyone thread_id file_id document_id',
  subscriptions: 'id subscription_list_id person_id type canceled inserted_at',
  notifications: 'id person_id activity_id read_at inserted_at',
};

export type Table = keyof typeof columns;

export const tables = Object.keys(columns) as Table[];
