/** The rows of a side as JSON, by kind and id, with all times and persons. */
const recordsQuery = (of: Record<string, string>) => `
  SELECT jsonb_build_object(
    'people', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name)), '{}') FROM (${of.people}) p),
    'goals', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name, 'access', access,
      'at', closed_at, 'by', closed_by, 'success', success)), '{}') FROM (${of.goals}) g),
    'folders', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name)), '{}') FROM (${of.folders}) f),
    'files', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('name', name, 'folder', folder,
      'at', deleted_at, 'by', deleted_by)), '{}') FROM (${of.files}) f),
    'documents', (SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('folder', folder, 'versions', versions)), '{}')
      FROM (${of.documents}) d)) AS records`;

const versionOf = (editor: string, at: string) =>
  `jsonb_build_object('text', v.content, 'from', v.restored, 'by', v.${editor}, 'at', v.${at})`;

export const ofGateway = recordsQuery({
  people:
    "SELECT id, full_name AS name FROM people WHERE company_id = 'acme' AND suspended_at IS NULL AND id <> 'owner'",
  goals: `SELECT id, name, closed_at, closed_by_id AS closed_by, success, (
      SELECT coalesce(jsonb_agg(a.person_id ORDER BY a.person_id), '[]') FROM access_grants a
      WHERE a.company_id = 'acme' AND a.goal_id = g.id) AS access
    FROM goals g WHERE company_id = 'acme' AND removed_at IS NULL`,
  folders: "SELECT id, name FROM resource_hub_folders WHERE company_id = 'acme'",
  files: `SELECT id, name, parent_folder_id AS folder, deleted_at, deleted_by_id AS deleted_by
    FROM resource_hub_files WHERE company_id = 'acme' AND removed_at IS NULL`,
  documents: `SELECT id, parent_folder_id AS folder, (
      SELECT jsonb_agg(${versionOf('editor_id', 'inserted_at')} ORDER BY v.version_number)
      FROM (SELECT *, restored_from_version_number AS restored FROM document_versions) v
      WHERE v.company_id = 'acme' AND v.document_id = d.id) AS versions
    FROM resource_hub_documents d WHERE company_id = 'acme' AND deleted_at IS NULL`,
});

export const ofApplication = recordsQuery({
  people: 'SELECT id, name FROM people',
  goals: `SELECT id, name, closed_at, closed_by, success, (
      SELECT coalesce(jsonb_agg(a.person_id ORDER BY a.person_id), '[]') FROM goal_access a WHERE a.goal_id = g.id
    ) AS access FROM goals g`,
  folders: 'SELECT id, name FROM folders',
  files: 'SELECT id, name, folder_id AS folder, deleted_at, deleted_by FROM files',
  documents: `SELECT id, folder_id AS folder, (
      SELECT jsonb_agg(${versionOf('editor', 'written_at')} ORDER BY v.number)
      FROM (SELECT *, restored_from AS restored FROM versions) v WHERE v.document_id = d.id) AS versions FROM documents d`,
});
