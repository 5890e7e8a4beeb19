import { models } from '../database/generated/models.js';

/** The tables that an import writes. Each comes after the tables that its rows refer to. */
export const tables = [
  'companies',
  'people',
  'spaces',
  'space_members',
  'goals',
  'targets',
  'goal_checks',
  'goal_progress_updates',
  'goal_retrospectives',
  'projects',
  'access_grants',
  'resource_hubs',
  'resource_hub_folders',
  'blobs',
  'resource_hub_files',
  'public_links',
  'resource_hub_documents',
  'document_versions',
  'activities',
  'comment_threads',
  'comments',
  'reactions',
  'subscription_lists',
  'subscriptions',
  'notifications',
] as const;

export type Table = (typeof tables)[number];

/** The columns of a table, without `company_id`. */
export function columnsOf(table: Table): string[] {
  const model = Object.values(models).find((each) => each.table === table);
  const names = Object.values(model?.columns ?? {}).map(({ name }) => name);
  return names.filter((name) => name !== 'company_id');
}
