/** The records of a side, with all times and persons, as the one is compared with the other. */
const recordsQuery = (of: Record<'people' | 'goals' | 'folders' | 'files' | 'documents', string>) => `
  SELECT jsonb_build_object(
    'people', (SELECT coalesce(jsonb_object_agg(id, to_jsonb(p)), '{}') FROM (${of.people}) p),
    'goals', (SELECT coalesce(jsonb_object_agg(id, to_jsonb(g)), '{}') FROM (${of.goals}) g),
    'folders', (SELECT coalesce(jsonb_object_agg(id, to_jsonb(f)), '{}') FROM (${of.folders}) f),
    'files', (SELECT coalesce(jsonb_object_agg(id, to_jsonb(f)), '{}') FROM (${of.files}) f),
    'documents', (SELECT coalesce(jsonb_object_agg(id, to_jsonb(d)), '{}') FROM (${of.documents}) d)) AS records`;

export const ofGateway = recordsQuery({
  people: `SELECT id, full_name AS name FROM people
    WHERE company_id = 'acme' AND suspended_at IS NULL AND id <> 'owner'`,
  goals: `SELECT id, name, closed_at, closed_by_id AS closed_by, success, (
      SELECT coalesce(jsonb_agg(a.person_id ORDER BY a.person_id), '[]') FROM access_grants a
      WHERE a.company_id = 'acme' AND a.goal_id = g.id) AS access
    FROM goals g WHERE company_id = 'acme' AND removed_at IS NULL`,
  folders: "SELECT id, name FROM resource_hub_folders WHERE company_id = 'acme'",
  files: `SELECT id, name, parent_folder_id AS folder, deleted_at, deleted_by_id AS deleted_by
    FROM resource_hub_files WHERE company_id = 'acme' AND removed_at IS NULL`,
  documents: `SELECT id, parent_folder_id AS folder, (
      SELECT jsonb_agg(jsonb_build_object('text', v.content, 'from', v.restored_from_version_number,
        'by', v.editor_id, 'at', v.inserted_at) ORDER BY v.version_number)
      FROM document_versions v WHERE v.company_id = 'acme' AND v.document_id = d.id) AS versions
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
      SELECT jsonb_agg(jsonb_build_object('text', v.content, 'from', v.restored_from,
        'by', v.editor, 'at', v.written_at) ORDER BY v.number)
      FROM versions v WHERE v.document_id = d.id) AS versions FROM documents d`,
});
