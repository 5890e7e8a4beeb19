import { GraphQLScalarType } from 'graphql';
import {
  isOutdated,
  potentialSubscribers,
  privacyOf,
  progressPercentage,
  roleOf,
  statusOf,
  timeframeOf,
} from '../../src/rules/derived.ts';

const key = ({ companyId, id }) => ({ where: { companyId_id: { companyId, id } } });
const oldestFirst = { orderBy: [{ insertedAt: 'asc' }, { id: 'asc' }] };
const newestFirst = { orderBy: [{ insertedAt: 'desc' }, { id: 'desc' }] };
const inOrder = { orderBy: [{ index: 'asc' }, { id: 'asc' }] };
const upper = (value) => value?.toUpperCase() ?? null;

/** A relation through Prisma's fluent API. */
const relation =
  (model, name, query) =>
  (row, _args, { db }) =>
    db[model].findUnique(key(row))[name](query);

export const levelOn = async ({ db, actor: { companyId, personId } }, kind, id) => {
  const row = await db[`${kind}Access`].findFirst({ where: { companyId, personId, [`${kind}Id`]: id } });
  return row?.level ?? 0;
};
export const visible = ({ companyId, personId }) => ({
  companyId,
  access: { some: { companyId, personId, level: { gte: 10 } } },
});

const scalar = (name, serialize) => new GraphQLScalarType({ name, serialize });
const levels = ({ publicLevel, companyLevel, spaceLevel }) => ({
  public: publicLevel,
  company: companyLevel,
  space: spaceLevel,
});
const liveComments = async ({ db, actor: { companyId } }, where) =>
  db.comment.count({ where: { companyId, deletedAt: null, ...where } });

const updatesOf = (goal, query, { db }) =>
  db.goal.findUnique(key(goal)).progressUpdates({ ...newestFirst, take: 1, ...query });

const Goal = {
  accessLevels: levels,
  champion: relation('goal', 'champion'),
  reviewer: relation('goal', 'reviewer'),
  closedBy: relation('goal', 'closedBy'),
  checklist: relation('goal', 'checklist', inOrder),
  targets: relation('goal', 'targets', inOrder),
  isArchived: ({ archivedAt }) => archivedAt !== null,
  isClosed: ({ closedAt }) => closedAt !== null,
  isOutdated: (goal, _args, { now }) => isOutdated(goal, now),
  lastCheckIn: async (goal, _args, context) => (await updatesOf(goal, {}, context))[0],
  lastCheckInId: async (goal, _args, context) => (await updatesOf(goal, {}, context))[0]?.id,
  myRole: (goal, _args, { actor }) => upper(roleOf(goal, actor.personId)),
  notifications: (goal, _args, context) => unread(context, { goalId: goal.id }),
  parentGoal: async (goal, _args, context) =>
    goal.parentGoalId !== null && (await levelOn(context, 'goal', goal.parentGoalId)) >= 10
      ? context.db.goal.findUnique(key(goal)).parentGoal()
      : null,
  parentGoalId: async (goal, _args, context) =>
    goal.parentGoalId !== null && (await levelOn(context, 'goal', goal.parentGoalId)) >= 10 ? goal.parentGoalId : null,
  permissions: (goal, _args, context) => levelOn(context, 'goal', goal.id),
  potentialSubscribers: async (goal, _args, context) => {
    const [activity] = await context.db.goal.findUnique(key(goal)).activities({
      where: { thread: { isNot: null } },
      ...newestFirst,
      take: 1,
      include: { thread: { include: { subscriptionList: { include: { subscriptions: true } } } } },
    });
    const found = await context.db.goal.findUnique({ ...key(goal), include: concerned });
    return potentialSubscribers(found, activity?.thread?.subscriptionList);
  },
  privacy: (goal) => upper(privacyOf(goal)),
  progressPercentage: async (goal, _args, { db }) => {
    const one = db.goal.findUnique(key(goal));
    return progressPercentage(await one.targets(), await db.goal.findUnique(key(goal)).checklist());
  },
  projects: (goal, _args, { db, actor }) =>
    db.goal.findUnique(key(goal)).projects({ where: visible(actor), ...oldestFirst }),
  retrospective: async (goal, _args, { db }) =>
    (await db.goal.findUnique(key(goal)).retrospectives({ ...newestFirst, take: 1 }))[0],
  space: async (goal, _args, context) =>
    (await levelOn(context, 'space', goal.spaceId)) >= 10 ? context.db.goal.findUnique(key(goal)).space() : null,
  status: async (goal, _args, context) =>
    upper(statusOf({ ...goal, progressUpdates: await updatesOf(goal, {}, context) }, context.now)),
  timeframe: timeframeOf,
};

const members = { include: { members: { include: { person: true } } } };
const concerned = { champion: true, reviewer: true, space: members };

const unread = async ({ db, actor: { companyId, personId } }, subject) => {
  const activities = await db.activity.findMany({
    where: { companyId, ...subject, notifications: { some: { companyId, personId, readAt: null } } },
    ...newestFirst,
    include: { notifications: { where: { companyId, personId, readAt: null } } },
  });
  return activities.flatMap(({ notifications }) => notifications);
};

async function pathTo(folderId, { db, actor: { companyId } }) {
  const path = [];
  for (let id = folderId; id !== null; id = path[0].parentFolderId) {
    path.unshift(await db.resourceHubFolder.findUnique({ where: { companyId_id: { companyId, id } } }));
  }
  return path;
}

/** What files and documents share. */
const node = (model, subject) => ({
  author: relation(model, 'author'),
  commentsCount: (row, _args, context) => liveComments(context, { [subject]: row.id }),
  parentFolder: async ({ parentFolderId }, _args, context) => (await pathTo(parentFolderId, context)).at(-1),
  permissions: ({ resourceHubId }, _args, context) => levelOn(context, 'resourceHub', resourceHubId),
  potentialSubscribers: async (row, _args, { db }) => {
    const list = await db[model].findUnique(key(row)).subscriptionList({ include: { subscriptions: true } });
    const { space, goal, project } = await db[model].findUnique(key(row)).resourceHub({
      include: { space: members, goal: { include: concerned }, project: { include: concerned } },
    });
    return potentialSubscribers(goal ?? project ?? { space }, list);
  },
  reactions: relation(model, 'reactions', oldestFirst),
  resourceHub: relation(model, 'resourceHub'),
  subscriptionList: relation(model, 'subscriptionList'),
});
const ofHub =
  (name) =>
  (row, _args, { db }) =>
    db.resourceHub.findUnique(key({ companyId: row.companyId, id: row.resourceHubId }))[name]();
const from = (needed) => (level) => level >= needed;
const editable = [
  'CreateDocument',
  'CreateFolder',
  'CreateFile',
  'CreateLink',
  'EditDocument',
  'EditFile',
  'EditLink',
  'EditParentFolder',
  'DeleteDocument',
  'DeleteFile',
  'DeleteFolder',
  'DeleteLink',
  'CopyFolder',
  'RenameFolder',
];

export const resolvers = {
  DateTime: scalar('DateTime', (value) => value.toISOString()),
  Date: scalar('Date', (value) => value.toISOString().slice(0, 10)),
  SafeInt: scalar('SafeInt', Number),
  Query: {
    goal: async (_root, { id }, context) =>
      (await levelOn(context, 'goal', id)) >= 10
        ? context.db.goal.findUnique(key({ companyId: context.actor.companyId, id }))
        : null,
    goals: async (_root, { first, after }, { db, actor }) => {
      const where = visible(actor);
      const cursor = after ? { cursor: { companyId_id: { companyId: actor.companyId, id: after } }, skip: 1 } : {};
      const rows = await db.goal.findMany({ where, ...oldestFirst, take: first + 1, ...cursor });
      const nodes = rows.slice(0, first);
      return { nodes, pageInfo: { hasNextPage: rows.length > first, endCursor: nodes.at(-1)?.id ?? null } };
    },
  },
  Goal,
  GoalPermissions: { canView: from(10), canComment: from(40), canEdit: from(70), hasFullAccess: from(100) },
  GoalProgressUpdate: {
    status: ({ status }) => upper(status),
    author: relation('goalProgressUpdate', 'author'),
    acknowledged: ({ acknowledgedAt }) => acknowledgedAt !== null,
    acknowledgingPerson: relation('goalProgressUpdate', 'acknowledgingPerson'),
    commentsCount: ({ id }, _args, context) => liveComments(context, { progressUpdateId: id }),
    reactions: relation('goalProgressUpdate', 'reactions', oldestFirst),
  },
  GoalRetrospective: {
    author: relation('goalRetrospective', 'author'),
    commentCount: ({ id }, _args, context) => liveComments(context, { retrospectiveId: id }),
  },
  Timeframe: { contextualStartDate: ({ start }) => start, contextualEndDate: ({ end }) => end },
  ContextualDate: { dateType: ({ type }) => upper(type) },
  Person: { type: ({ type }) => upper(type) },
  Reaction: { person: relation('reaction', 'person') },
  Notification: { read: ({ readAt }) => readAt !== null, activity: relation('notification', 'activity') },
  Activity: { action: ({ action }) => upper(action), author: relation('activity', 'author') },
  Project: {
    status: ({ status }) => upper(status),
    privacy: (project) => upper(privacyOf(project)),
    champion: relation('project', 'champion'),
    reviewer: relation('project', 'reviewer'),
    isClosed: ({ closedAt }) => closedAt !== null,
  },
  Space: {
    accessLevels: levels,
    isMember: async ({ companyId, id }, _args, { db, actor: { personId } }) =>
      (await db.spaceMember.findUnique({
        where: { companyId_spaceId_personId: { companyId, spaceId: id, personId } },
      })) !== null,
  },
  ResourceHubFile: {
    ...node('resourceHubFile', 'fileId'),
    blob: relation('resourceHubFile', 'blob'),
    pathToFile: ({ parentFolderId }, _args, context) => pathTo(parentFolderId, context),
    size: async (file, _args, { db }) => (await db.resourceHubFile.findUnique(key(file)).blob()).size,
    type: async (file, _args, { db }) => (await db.resourceHubFile.findUnique(key(file)).blob()).contentType,
  },
  Blob: { status: ({ status }) => upper(status) },
  ResourceHubDocument: {
    ...node('resourceHubDocument', 'documentId'),
    versionsCount: ({ companyId, id }, _args, { db }) =>
      db.documentVersion.count({ where: { companyId, documentId: id } }),
    goal: ofHub('goal'),
    project: ofHub('project'),
    space: ofHub('space'),
    notifications: (document, _args, context) => unread(context, { documentId: document.id }),
    pathToDocument: ({ parentFolderId }, _args, context) => pathTo(parentFolderId, context),
    publicUrl: async ({ publicToken, resourceHubId }, _args, context) =>
      publicToken !== null && (await levelOn(context, 'resourceHub', resourceHubId)) >= 70
        ? `${context.appUrl}/public/documents/${publicToken}`
        : null,
    url: ({ id }, _args, { appUrl }) => `${appUrl}/documents/${id}`,
    state: ({ state }) => upper(state),
  },
  ResourceHubFolder: {
    childrenCount: async (folder, _args, { db, actor: { personId } }) => {
      const { companyId, resourceHubId, id } = folder;
      const where = { companyId, resourceHubId, parentFolderId: id };
      const [folders, files, documents] = await Promise.all([
        db.resourceHubFolder.count({ where }),
        db.resourceHubFile.count({ where: { ...where, deletedAt: null } }),
        db.resourceHubDocument.count({
          where: { ...where, deletedAt: null, OR: [{ state: 'published' }, { authorId: personId }] },
        }),
      ]);
      return folders + files + documents;
    },
  },
  ResourceHubPermissions: {
    canView: from(10),
    canCommentOnDocument: from(40),
    canCommentOnFile: from(40),
    canCommentOnLink: from(40),
    ...Object.fromEntries(editable.map((name) => [`can${name}`, from(70)])),
  },
  SubscriptionList: {
    parentType: ({ threadId, fileId }) =>
      threadId ? 'COMMENT_THREAD' : fileId ? 'RESOURCE_HUB_FILE' : 'RESOURCE_HUB_DOCUMENT',
    subscriptions: relation('subscriptionList', 'subscriptions', oldestFirst),
  },
  PersonSubscription: {
    type: ({ type }) => upper(type),
    person: relation('subscription', 'person'),
  },
  DocumentVersion: {
    titleChanged: async (version, _args, context) => differs(version, 'title', context),
    contentChanged: async (version, _args, context) => differs(version, 'content', context),
    editor: relation('documentVersion', 'editor'),
    isCurrent: async (version, _args, { db }) =>
      (await db.documentVersion.findUnique(key(version)).document()).currentVersion === version.versionNumber,
    origin: ({ origin }) => upper(origin),
  },
};

async function differs(version, column, { db }) {
  const previous = await db.documentVersion.findUnique(key(version)).previous();
  return previous !== null && previous[column] !== version[column];
}
