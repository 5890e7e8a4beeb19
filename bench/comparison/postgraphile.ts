import { type Call, pageSize, type Spelling } from './calls.js';

// The product's answers in the names that PostGraphile gives to tables and functions. What an alias `up…` has is meant one
// level higher; `payloadOf` moves it there.

const person = (alias: string, column: string) => `${alias}: personByCompanyIdAnd${column} { ...PersonFields }`;
const reactions = (column: string) =>
  `reactions: reactionsByCompanyIdAnd${column}List(orderBy: [INSERTED_AT_ASC, ROW_ID_ASC]) { id: rowId emoji ${person('person', 'PersonId')} }`;

const fragments = `
fragment PersonFields on Person { id: rowId fullName title email avatarUrl type }
fragment SpaceFields on Space { id: rowId name mission isCompanySpace isMember accessLevels { public company space } }
fragment SubscriberFields on Subscriber { role priority isSubscribed person { ...PersonFields } }
fragment ProjectFields on Project {
  id: rowId name status privacy description goalId spaceId ${person('champion', 'ChampionId')} ${person('reviewer', 'ReviewerId')}
  closedAt isClosed insertedAt updatedAt
}
fragment NotificationFields on Notification {
  id: rowId read readAt insertedAt activity: activityByCompanyIdAndActivityId {
    id: rowId action insertedAt ${person('author', 'AuthorId')}
  }
}
fragment NestedGoalFields on Goal {
  id: rowId name description accessLevels { public company space } archivedAt ${person('champion', 'ChampionId')}
  ${person('reviewer', 'ReviewerId')} closedAt ${person('closedBy', 'ClosedById')} insertedAt updatedAt isArchived isClosed isOutdated
  lastCheckInId myRole nextUpdateScheduledAt parentGoalId: visibleParentGoalId
  permissions { canView canComment canEdit hasFullAccess } privacy progressPercentage status success
  timeframe { contextualStartDate { dateType value date } contextualEndDate { dateType value date } }
}`;

const goal = `{
  ...NestedGoalFields
  checklist: goalChecksByCompanyIdAndGoalIdList(orderBy: [INDEX_ASC, ROW_ID_ASC]) {
    id: rowId name completed index insertedAt updatedAt
  }
  lastCheckIn {
    id: rowId status message insertedAt ${person('author', 'AuthorId')} acknowledged acknowledgedAt
    ${person('acknowledgingPerson', 'AcknowledgedById')} commentsCount ${reactions('ProgressUpdateId')}
  }
  notifications: unreadList { ...NotificationFields }
  parentGoal: goalByCompanyIdAndParentGoalId { ...NestedGoalFields }
  potentialSubscribers: potentialSubscribersList { ...SubscriberFields }
  projects: projectsByCompanyIdAndGoalIdList(orderBy: [INSERTED_AT_ASC, ROW_ID_ASC]) { ...ProjectFields }
  retrospective { id: rowId title content ${person('author', 'AuthorId')} insertedAt commentCount }
  space: spaceByCompanyIdAndSpaceId { ...SpaceFields }
  targets: targetsByCompanyIdAndGoalIdList(orderBy: [INDEX_ASC, ROW_ID_ASC]) { id: rowId index name from to unit value }
}`;

const folder = '{ id: rowId name description resourceHubId parentFolderId childrenCount }';
const node = (subject: 'FileId' | 'DocumentId') => `
  id: rowId name ${person('author', 'AuthorId')} commentsCount insertedAt parentFolderId resourceHubId
  parentFolder: resourceHubFolderByCompanyIdAndResourceHubIdAndParentFolderId ${folder}
  permissions { canView canCommentOnDocument canCommentOnFile canCommentOnLink canCreateDocument canCreateFolder canCreateFile
    canCreateLink canEditDocument canEditFile canEditLink canEditParentFolder canDeleteDocument canDeleteFile canDeleteFolder
    canDeleteLink canCopyFolder canRenameFolder }
  potentialSubscribers: potentialSubscribersList { ...SubscriberFields }
  ${reactions(subject)}
  resourceHub: resourceHubByCompanyIdAndResourceHubId { id: rowId name description insertedAt updatedAt }
  subscriptionList: subscriptionListByCompanyIdAnd${subject} {
    id: rowId parentType sendToEveryone
    subscriptions: personSubscriptionsByCompanyIdAndSubscriptionListIdList(orderBy: [INSERTED_AT_ASC, ROW_ID_ASC]) {
      id: rowId type canceled ${person('person', 'PersonId')}
    }
  }`;

const blob = '{ id: rowId status filename size contentType width height url }';
const file = `{ ${node('FileId')} description pathToFile: pathToFileList ${folder} blob: blobByCompanyIdAndBlobId ${blob}
  upBlob: blobByCompanyIdAndBlobId { size type: contentType } }`;
const document = `{ ${node('DocumentId')} content currentVersion versionsCount state publicUrl url publishedAt updatedAt
  pathToDocument: pathToDocumentList ${folder} notifications: unreadList { ...NotificationFields }
  upHub: resourceHubByCompanyIdAndResourceHubId {
    goal: goalByCompanyIdAndGoalId { ...NestedGoalFields } project: projectByCompanyIdAndProjectId { ...ProjectFields }
    space: spaceByCompanyIdAndSpaceId { ...SpaceFields }
  } }`;

/** The document with only the fragments that it uses. */
function withFragments(text: string): string {
  const all = new Map(fragments.split(/(?=^fragment )/m).map((one) => [/^fragment (\w+)/.exec(one)?.[1] ?? '', one]));
  const used = new Set<string>();
  const collect = (part: string) => {
    for (const [, name = ''] of part.matchAll(/\.\.\.(\w+)/g)) {
      if (used.has(name)) continue;
      used.add(name);
      collect(all.get(name) ?? '');
    }
  };
  collect(text);
  return [text, ...[...used].map((name) => all.get(name))].join('\n');
}

const documents = {
  goal: withFragments(
    `query ($companyId: String!, $id: String!) { goal: goalByCompanyIdAndRowId(companyId: $companyId, rowId: $id) ${goal} }`,
  ),
  page: withFragments(`query ($first: Int!) { goals: allGoals(first: $first, orderBy: [INSERTED_AT_ASC, ROW_ID_ASC]) {
    nodes { id: rowId name status progressPercentage ${person('champion', 'ChampionId')} closedAt updatedAt }
    pageInfo { hasNextPage endCursor }
  } }`),
  restore: withFragments(`mutation ($input: RestoreVersionInput!) { restoreVersion(input: $input) {
    upDocument: result { document: resourceHubDocumentByCompanyIdAndDocumentId ${document} }
    restoredVersion: result { id: rowId versionNumber title content titleChanged contentChanged
      ${person('editor', 'EditorId')} insertedAt isCurrent origin restoredFromVersionNumber }
  } }`),
  reopen: withFragments(`mutation ($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal: result ${goal} } }`),
  delete: withFragments(`mutation ($input: DeleteFileInput!) { deleteFile(input: $input) { file: result ${file} } }`),
};

/** Custom mutations and tables, as PostGraphile names them. */
export const postgraphile: Spelling = (call) => ({ path: '/graphql', body: JSON.stringify(bodyOf(call)) });

function bodyOf(call: Call): { query: string; variables: object } {
  switch (call.kind) {
    case 'goal':
      return { query: documents.goal, variables: { companyId: 'company', id: call.id } };
    case 'page':
      return { query: documents.page, variables: { first: pageSize } };
    case 'restore': {
      const { documentId, versionNumber, expectedCurrentVersion } = call;
      const input = { document: documentId, versionNumber, expectedCurrentVersion };
      return { query: documents.restore, variables: { input } };
    }
    case 'reopen': {
      const { id, message, subscriberIds, everyone } = call;
      return {
        query: documents.reopen,
        variables: { input: { goal: id, message, subscriberIds, sendToEveryone: everyone } },
      };
    }
    case 'delete':
      return { query: documents.delete, variables: { input: { file: call.fileId } } };
    default:
      throw new Error(`PostGraphile has no ${call.kind}`);
  }
}
