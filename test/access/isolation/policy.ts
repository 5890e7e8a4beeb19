/** What decides whether a caller who sees a record also sees what a field of it reaches. */
type Shown =
  /** Belongs to the record: everyone who sees the record sees it, and sees the same. */
  | 'as part'
  /** A record with access of its own: shown to those who see that record too. */
  | 'if seen'
  /** Shown to those who may edit the record that has the field. */
  | 'to editors'
  /** Only what is the caller's own. */
  | 'as own'
  /** As the tests of the operation say; here only that it is of the caller's company, and seen. */
  | 'by a rule of its own';

export interface Row {
  shown: Shown;
  /**
   * All that could be shown: SQL for (source, target), and (source, target, person) for what is somebody's own, or
   * (source, target, decider) if another record than the target decides.
   */
  links?: string;
}

const part: Row = { shown: 'as part' };
const ruled: Row = { shown: 'by a rule of its own' };
const seen = (links: string): Row => ({ shown: 'if seen', links });
const own = (links: string): Row => ({ shown: 'as own', links });

const files = 'resource_hub_files';
const documents = 'resource_hub_documents';
const folders = 'resource_hub_folders';
const column = (table: string, name: string) => `SELECT id AS source, ${name} AS target FROM ${table}`;
const viaHub = (name: string) =>
  `SELECT d.id AS source, h.${name} AS target FROM ${documents} d JOIN resource_hubs h ON h.id = d.resource_hub_id`;
const nodesIn = (parent: string, condition: string) =>
  [folders, files, documents]
    .map((table) => `SELECT ${parent} AS source, id AS target FROM ${table} WHERE ${condition}`)
    .join(' UNION ALL ');
const unread = (subject: string) =>
  `SELECT a.${subject} AS source, n.id AS target, n.person_id AS person FROM notifications n
   JOIN activities a ON a.id = n.activity_id WHERE a.${subject} IS NOT NULL AND n.read_at IS NULL`;
/** Who sees this may know the name of what the activity `a` is about, also once that is deleted. */
const whereNamed = `coalesce(a.goal_id, CASE WHEN f.removed_at IS NULL THEN f.resource_hub_id ELSE f.id END,
  CASE WHEN d.state = 'draft' OR d.removed_at IS NOT NULL THEN d.id ELSE d.resource_hub_id END)`;
const all = (table: string) => `SELECT 'Query' AS source, id AS target FROM ${table}`;

/** Every field that reaches another record, and who sees what it reaches. A field without a row fails the test. */
export const fields: Record<string, Row> = {
  'Query.goals': seen(all('goals')),
  'Query.spaces': seen(all('spaces')),
  'Query.resourceHubs': seen(all('resource_hubs')),
  // What it finds is tried below, and in test/api/lists.test.ts.
  'Query.resourceHubNodes': ruled,
  'Query.people': ruled,
  'Query.deletedFiles': ruled,
  'Query.events': seen(
    `SELECT 'Query' AS source, a.id AS target, ${whereNamed} AS decider
      FROM activities a LEFT JOIN ${files} f ON f.id = a.file_id LEFT JOIN ${documents} d ON d.id = a.document_id`,
  ),
  'Query.activities': seen(
    `SELECT 'Query' AS source, a.id AS target, ${whereNamed} AS decider
      FROM activities a LEFT JOIN ${files} f ON f.id = a.file_id LEFT JOIN ${documents} d ON d.id = a.document_id`,
  ),
  // What a stream sends to whom is tried in streams.ts.
  'Subscription.events': ruled,
  'Event.activity': part,
  'Query.viewer': ruled,
  'Viewer.person': own("SELECT 'Query' AS source, id AS target, id AS person FROM people"),
  'Viewer.token': ruled,
  'Viewer.companyId': ruled,
  'Viewer.notifications': own("SELECT 'Query' AS source, id AS target, person_id AS person FROM notifications"),
  'Notification.activity': part,

  'Goal.space': seen(column('goals', 'space_id')),
  'Goal.parentGoal': seen(column('goals', 'parent_goal_id')),
  'Goal.parentGoalId': seen(column('goals', 'parent_goal_id')),
  'Goal.subgoals': seen('SELECT parent_goal_id AS source, id AS target FROM goals WHERE parent_goal_id IS NOT NULL'),
  'Space.goals': seen('SELECT space_id AS source, id AS target FROM goals'),
  'Goal.projects': seen('SELECT goal_id AS source, id AS target FROM projects'),
  'Goal.notifications': own(unread('goal_id')),
  'Goal.activities': part,
  'Goal.champion': part,
  'Goal.reviewer': part,
  'Goal.closedBy': part,
  'Goal.checklist': part,
  'Goal.targets': part,
  'Goal.lastCheckIn': part,
  'Goal.lastCheckInId': part,
  'Goal.retrospective': part,
  'Goal.potentialSubscribers': part,
  'GoalProgressUpdate.author': part,
  'GoalProgressUpdate.acknowledgingPerson': part,
  'GoalProgressUpdate.reactions': part,
  'GoalRetrospective.author': part,
  'Reaction.person': part,
  'Subscriber.person': part,
  'SubscriptionList.subscriptions': part,
  'PersonSubscription.person': part,

  'Project.champion': part,
  'Project.reviewer': part,
  'Project.goal': seen(column('projects', 'goal_id')),
  'Project.space': seen(column('projects', 'space_id')),
  'Project.goalId': seen(column('projects', 'goal_id')),
  'Project.spaceId': seen(column('projects', 'space_id')),

  'Activity.author': part,
  'Activity.subject': seen(column('activities', 'coalesce(goal_id, file_id, document_id)')),
  'Activity.documentVersion': seen(column('activities', 'document_version_id')),

  // Where the name is, whose rule test/api/activities.test.ts tries.
  'Activity.subjectId': ruled,
  'Activity.undoneOutcome': ruled,
  'Activity.token': ruled,
  'Activity.undoes': part,
  'GoalOutcome.closedBy': part,

  'ResourceHub.space': seen(column('resource_hubs', 'space_id')),
  'ResourceHub.goal': seen(column('resource_hubs', 'goal_id')),
  'ResourceHub.project': seen(column('resource_hubs', 'project_id')),
  'ResourceHub.nodes': seen(nodesIn('resource_hub_id', 'parent_folder_id IS NULL')),
  'ResourceHub.deletedFiles': {
    shown: 'to editors',
    links: `SELECT resource_hub_id AS source, id AS target FROM ${files}
      WHERE deleted_at IS NOT NULL AND removed_at IS NULL`,
  },
  'ResourceHubFolder.nodes': seen(nodesIn('parent_folder_id', 'parent_folder_id IS NOT NULL')),
  'ResourceHubFolder.resourceHubId': part,
  'ResourceHubFolder.parentFolder': part,
  'ResourceHubFolder.resourceHub': part,
  'ResourceHubFolder.parentFolderId': part,

  'ResourceHubFile.resourceHub': part,
  'ResourceHubFile.resourceHubId': part,
  'ResourceHubFile.parentFolder': part,
  'ResourceHubFile.parentFolderId': part,
  'ResourceHubFile.pathToFile': part,
  'ResourceHubFile.author': part,
  'ResourceHubFile.deletedBy': part,
  'ResourceHubFile.blob': part,
  'ResourceHubFile.activities': part,
  'ResourceHubFile.reactions': part,
  'ResourceHubFile.subscriptionList': part,
  'ResourceHubFile.potentialSubscribers': part,

  'ResourceHubDocument.resourceHub': part,
  'ResourceHubDocument.resourceHubId': part,
  'ResourceHubDocument.parentFolder': part,
  'ResourceHubDocument.parentFolderId': part,
  'ResourceHubDocument.pathToDocument': part,
  'ResourceHubDocument.author': part,
  'ResourceHubDocument.space': seen(viaHub('space_id')),
  'ResourceHubDocument.goal': seen(viaHub('goal_id')),
  'ResourceHubDocument.project': seen(viaHub('project_id')),
  'ResourceHubDocument.activities': part,
  'ResourceHubDocument.notifications': own(unread('document_id')),
  'ResourceHubDocument.reactions': part,
  'ResourceHubDocument.subscriptionList': part,
  'ResourceHubDocument.potentialSubscribers': part,
  'ResourceHubDocument.versions': seen('SELECT document_id AS source, id AS target FROM document_versions'),
  'ResourceHubDocument.version': seen(
    'SELECT document_id AS source, id AS target FROM document_versions WHERE version_number = 1',
  ),
  'DocumentVersion.editor': part,

  'ReopenGoalPreview.after': ruled,
  'ReopenGoalPreview.goal': ruled,
  'ReopenGoalPreview.notified': ruled,
  'ReopenGoalPreview.subscribed': ruled,
  'DeleteResourceHubFilePreview.after': ruled,
  'DeleteResourceHubFilePreview.file': ruled,
  'DeleteResourceHubFilePreview.notified': ruled,
  'RecoverResourceHubFilePreview.after': ruled,
  'RecoverResourceHubFilePreview.file': ruled,
  'RestoreDocumentVersionPreview.after': ruled,
  'RestoreDocumentVersionPreview.version': ruled,
  'RestoreDocumentVersionPreview.current': ruled,
  'RestoreDocumentVersionPreview.subscribed': ruled,
  'ReopenGoalPayload.goal': ruled,
  'DeleteResourceHubFilePayload.file': ruled,
  'RecoverResourceHubFilePayload.file': ruled,
  'RestoreDocumentVersionPayload.document': ruled,
  'RestoreDocumentVersionPayload.restoredVersion': ruled,
  'ReopenGoalPayload.activity': ruled,
  'DeleteResourceHubFilePayload.activity': ruled,
  'RecoverResourceHubFilePayload.activity': ruled,
  'RestoreDocumentVersionPayload.activity': ruled,
  'UndoChangePayload.activity': ruled,
  'UndoChangePreview.undoes': ruled,
  'UndoChangePreview.after': ruled,
};

/** Texts and values that not everyone who sees their record may read: SQL for (source, the record that decides). */
export const texts: Record<string, { level: number; links: string }> = {
  'Activity.message': {
    level: 10,
    links: `SELECT a.id AS source, coalesce(goal_id, file_id, document_id) AS target
      FROM activities a JOIN comment_threads t ON t.activity_id = a.id WHERE message IS NOT NULL`,
  },
  // What is deleted is still named, to those who see its hub.
  'Activity.name': {
    level: 10,
    links: `SELECT a.id AS source, ${whereNamed} AS target
      FROM activities a LEFT JOIN ${files} f ON f.id = a.file_id LEFT JOIN ${documents} d ON d.id = a.document_id`,
  },
  'Activity.undoneOutcome': {
    level: 10,
    links: 'SELECT id AS source, goal_id AS target FROM activities WHERE undone_closed_at IS NOT NULL',
  },
  'ResourceHubDocument.publicUrl': {
    level: 70,
    links: `SELECT id AS source, id AS target FROM ${documents} WHERE public_token IS NOT NULL`,
  },
};

export type Kind = 'goals' | 'spaces' | 'hubs' | 'folders' | 'files' | 'documents';

export interface Need {
  kind: Kind;
  /** The arguments, or a mutation's input, that name the record. */
  ask: (id: string) => Record<string, unknown>;
  /** The access level that it takes. Below 10 nothing exists: NOT_FOUND. Below this: FORBIDDEN. */
  level: 10 | 70;
  /** What it answers, to those whose level is enough, on a record in one of these states. */
  states?: Record<string, string>;
  /** Whether it also works on what is deleted. */
  findsDeleted?: true;
}

const byId = (id: string) => ({ id });
/** The activity of the creation of a file, which no operation has made. */
const creation = (fileId: string) => ({ activityId: `${fileId}-created` });
const lasting = Object.fromEntries(
  ['file', 'filled', 'recovered', 'deleted'].map((state) => [state, 'CANNOT_BE_UNDONE']),
);
const withoutVersions = { draft: 'NOT_FOUND', ownDraft: 'NOT_FOUND' };

/** Every query field that looks a record up. */
export const lookUps: Record<string, Need> = {
  goal: { ask: byId, kind: 'goals', level: 10 },
  space: { ask: byId, kind: 'spaces', level: 10 },
  resourceHub: { ask: byId, kind: 'hubs', level: 10 },
  resourceHubFolder: { ask: byId, kind: 'folders', level: 10 },
  resourceHubFile: { ask: byId, kind: 'files', level: 10 },
  resourceHubDocument: { ask: byId, kind: 'documents', level: 10 },
  previewReopenGoal: {
    ask: (id) => ({ input: { id, sendNotificationsToEveryone: true } }),
    kind: 'goals',
    level: 70,
    states: { archived: 'GOAL_ARCHIVED' },
  },
  previewDeleteResourceHubFile: { ask: (fileId) => ({ input: { fileId } }), kind: 'files', level: 70 },
  previewRecoverResourceHubFile: {
    ask: (fileId) => ({ input: { fileId } }),
    kind: 'files',
    level: 70,
    findsDeleted: true,
  },
  previewRestoreDocumentVersion: {
    ask: (documentId) => ({ input: { documentId, versionNumber: 1 } }),
    kind: 'documents',
    level: 70,
    states: withoutVersions,
  },
  previewUndoChange: {
    ask: (id) => ({ input: creation(id) }),
    kind: 'files',
    level: 70,
    findsDeleted: true,
    states: lasting,
  },
};

/** Every mutation, on both surfaces. */
export const mutations: Record<string, Need> = {
  reopenGoal: {
    ask: (id) => ({ id, message: 'Again' }),
    kind: 'goals',
    level: 70,
    states: { archived: 'GOAL_ARCHIVED' },
  },
  deleteResourceHubFile: { ask: (fileId) => ({ fileId }), kind: 'files', level: 70 },
  recoverResourceHubFile: { ask: (fileId) => ({ fileId }), kind: 'files', level: 70, findsDeleted: true },
  restoreDocumentVersion: {
    ask: (documentId) => ({ documentId, versionNumber: 1, expectedCurrentVersion: 4 }),
    kind: 'documents',
    level: 70,
    states: withoutVersions,
  },
  undoChange: { ask: creation, kind: 'files', level: 70, findsDeleted: true, states: lasting },
};

/** Every condition that names a record, and what meets it. One that the caller does not see is met by nothing. */
export const filters: Record<string, { list: string; links: string }> = {
  'GoalFilter.spaceId': { list: 'goals', links: 'SELECT space_id AS source, id AS target FROM goals' },
  'GoalFilter.championId': { list: 'goals', links: 'SELECT champion_id AS source, id AS target FROM goals' },
  ...Object.fromEntries(
    ['space', 'goal', 'project'].map((parent) => [
      `ResourceHubFilter.${parent}Id`,
      { list: 'resourceHubs', links: `SELECT ${parent}_id AS source, id AS target FROM resource_hubs` },
    ]),
  ),
};

/**
 * What only owners of the company may ask: test/events/webhooks.test.ts does, as every kind of caller. Its `Query.…` and
 * `Mutation.…` are look-ups and mutations, the others fields of their results and inputs.
 */
export const ofOwners = {
  fields: [
    ...['Query.webhook', 'Query.webhooks', 'Webhook.attempts', 'WebhookAttempt.eventId', 'PingWebhookPayload.eventId'],
    ...['CreateWebhookPayload.webhook', 'UpdateWebhookPayload.webhook', 'PingWebhookPayload.webhook'],
    ...['RotateWebhookSecretPayload.webhook', 'ReplayWebhookPayload.webhook', 'RedeliverWebhookEventPayload.webhook'],
    'RedeliverWebhookEventPayload.eventId',
  ],
  mutations: [
    ...['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'replayWebhook'],
    ...['pingWebhook', 'redeliverWebhookEvent'],
  ],
  targets: [
    ...['Query.webhook(id)', 'UpdateWebhookInput.id', 'DeleteWebhookInput.id', 'RotateWebhookSecretInput.id'],
    ...['ReplayWebhookInput.id', 'PingWebhookInput.id', 'RedeliverWebhookEventInput.id'],
    'RedeliverWebhookEventInput.eventId',
  ],
};

/** Every other argument that names a record: those of look-ups and mutations. */
export const targets = [
  'ReopenGoalInput.id',
  'ReopenGoalInput.subscriberIds',
  'DeleteResourceHubFileInput.fileId',
  'RecoverResourceHubFileInput.fileId',
  'RestoreDocumentVersionInput.documentId',
  'Query.goal(id)',
  'Query.space(id)',
  'Query.resourceHub(id)',
  'Query.resourceHubFolder(id)',
  'Query.resourceHubFile(id)',
  'Query.resourceHubDocument(id)',
  'PreviewRestoreDocumentVersionInput.documentId',
  'PreviewReopenGoalInput.id',
  'PreviewReopenGoalInput.subscriberIds',
  'PreviewDeleteResourceHubFileInput.fileId',
  'PreviewRecoverResourceHubFileInput.fileId',
  'UndoChangeInput.activityId',
  'PreviewUndoChangeInput.activityId',
];

/** Every path, or what it begins with: `public` ones say the same to everyone, whoever asks. */
export const paths: Record<string, 'public' | 'a mutation' | 'GraphQL' | 'tools'> = {
  '/graphql': 'GraphQL',
  '/api/external/v1/reopen_goal': 'a mutation',
  '/api/external/v1/delete_resource_hub_file': 'a mutation',
  '/api/external/v1/recover_resource_hub_file': 'a mutation',
  '/api/external/v1/documents/restore_document_version': 'a mutation',
  '/api/external/v1/undo_change': 'a mutation',
  '/api/external/v1/openapi.json': 'public',
  '/api/external/v1': 'public',
  '/favicon.ico': 'public',
  '/': 'public',
  '/docs': 'public',
  '/history': 'public',
  // Runs queries and mutations as the caller.
  '/mcp': 'tools',
  '/errors': 'public',
  '/errors/': 'public',
  '/graphiql/': 'public',
  '/guide': 'public',
  '/guide/': 'public',
  '/pages/': 'public',
  '/openapi.json': 'public',
  '/schema.graphql': 'public',
  '/healthz': 'public',
  '/readyz': 'public',
  '/readyz/shutdown': 'public',
};

/** What the crawl does not reach: whom and what these find is tried in test/api/{people,deletedFiles} and operations/{previews,undoChange}. */
export const triedElsewhere = [
  ...['Query.people', 'Query.deletedFiles', 'RestoreDocumentVersionPreview.subscribed'],
  ...['UndoChangePreview.undoes', 'UndoChangePreview.after'],
];
