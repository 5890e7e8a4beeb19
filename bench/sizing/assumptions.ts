import type { WorkloadName } from '../comparison/workloads.js';

/** What the table takes for granted. Change them to your own figures, and run the program again. */
export const use = {
  /** Requests that one person causes on a working day, by what they ask for. */
  requests: {
    'full goal': 20,
    'page of 50': 20,
    'restore with a key': 2,
    'reopen, 5 recipients': 0.5,
    delete: 0.5,
    '409': 1,
  } satisfies Partial<Record<WorkloadName, number>>,
  workingDays: 250,
  /** The share of a day's requests in its busiest hour, and how much more than its mean comes in the busiest second. */
  busiestHour: 0.2,
  busiestSecond: 2,
};

/** How full a processor may be in the busiest second. */
export const utilization = 0.6;

/** Processors of a machine for gateways, and of the largest one for PostgreSQL. */
export const machine = { gateway: 8, database: 32, diskTerabytes: 4 };

/** Connections that a gateway holds, and that one PostgreSQL serves well without PgBouncer. */
export const connections = { perGateway: 12, most: 300 };

/** Rows that one person has on average, in the tables that have most of them. */
export const rowsPerPerson: Record<string, number> = {
  people: 1,
  api_tokens: 0.1,
  space_members: 5,
  goals: 3,
  targets: 6,
  goal_checks: 9,
  goal_progress_updates: 30,
  projects: 2,
  resource_hub_folders: 2,
  resource_hub_documents: 10,
  document_versions: 50,
  resource_hub_files: 10,
  blobs: 10,
  comments: 60,
  reactions: 60,
  activities: 100,
  comment_threads: 20,
  subscription_lists: 30,
  subscriptions: 100,
  notifications: 300,
};
