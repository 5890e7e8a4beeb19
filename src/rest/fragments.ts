/**
 * The fields of each resource in REST. The four documented resources are complete. A nested record has its scalar
 * fields, its small value objects and its people, and no further level.
 */
const fragments = {
  PersonFields: 'on Person { id fullName title email avatarUrl type }',
  AccessLevelsFields: 'on AccessLevels { public company space }',
  ReactionFields: 'on Reaction { id emoji person { ...PersonFields } }',
  SubscriberFields: 'on Subscriber { role priority isSubscribed person { ...PersonFields } }',
  FolderFields: 'on ResourceHubFolder { id name description resourceHubId parentFolderId childrenCount }',
  HubFields: 'on ResourceHub { id name description insertedAt updatedAt }',
  BlobFields: 'on Blob { id status filename size contentType width height url }',
  TargetFields: 'on Target { id index name from to unit value }',
  CheckFields: 'on GoalCheck { id name completed index insertedAt updatedAt }',
  SpaceFields: 'on Space { id name mission isCompanySpace isMember accessLevels { ...AccessLevelsFields } }',
  NotificationFields: `on Notification {
    id read readAt insertedAt activity { id action insertedAt author { ...PersonFields } }
  }`,
  SubscriptionListFields: `on SubscriptionList {
    id parentType sendToEveryone subscriptions { id type canceled person { ...PersonFields } }
  }`,
  TimeframeFields: `on Timeframe {
    contextualStartDate { dateType value date } contextualEndDate { dateType value date }
  }`,
  ProgressUpdateFields: `on GoalProgressUpdate {
    id status message insertedAt author { ...PersonFields } acknowledged acknowledgedAt
    acknowledgingPerson { ...PersonFields } commentsCount reactions { ...ReactionFields }
  }`,
  RetrospectiveFields: 'on GoalRetrospective { id title content author { ...PersonFields } insertedAt commentCount }',
  ProjectFields: `on Project {
    id name status privacy description goalId spaceId champion { ...PersonFields } reviewer { ...PersonFields }
    closedAt isClosed insertedAt updatedAt
  }`,
  GoalPermissionsFields: 'on GoalPermissions { canView canComment canEdit hasFullAccess }',
  HubPermissionsFields: `on ResourceHubPermissions {
    canView canCommentOnDocument canCommentOnFile canCommentOnLink canCreateDocument canCreateFolder canCreateFile
    canCreateLink canEditDocument canEditFile canEditLink canEditParentFolder canDeleteDocument canDeleteFile
    canDeleteFolder canDeleteLink canCopyFolder canRenameFolder
  }`,
  NestedGoalFields: `on Goal {
    id name description accessLevels { ...AccessLevelsFields } archivedAt champion { ...PersonFields }
    reviewer { ...PersonFields } closedAt closedBy { ...PersonFields } insertedAt updatedAt isArchived isClosed
    isOutdated lastCheckInId myRole nextUpdateScheduledAt parentGoalId permissions { ...GoalPermissionsFields }
    privacy progressPercentage status success timeframe { ...TimeframeFields }
  }`,
  GoalFields: `on Goal {
    ...NestedGoalFields checklist { ...CheckFields } lastCheckIn { ...ProgressUpdateFields }
    notifications { ...NotificationFields } parentGoal { ...NestedGoalFields }
    potentialSubscribers { ...SubscriberFields } projects { ...ProjectFields }
    retrospective { ...RetrospectiveFields } space { ...SpaceFields } targets { ...TargetFields }
  }`,
  FileFields: `on ResourceHubFile {
    id name description author { ...PersonFields } blob { ...BlobFields } commentsCount insertedAt
    parentFolder { ...FolderFields } parentFolderId pathToFile { ...FolderFields }
    permissions { ...HubPermissionsFields } potentialSubscribers { ...SubscriberFields }
    reactions { ...ReactionFields } resourceHub { ...HubFields } resourceHubId size
    subscriptionList { ...SubscriptionListFields } type
  }`,
  DocumentFields: `on ResourceHubDocument {
    __typename id name content author { ...PersonFields } commentsCount currentVersion versionsCount
    goal { ...NestedGoalFields } project { ...ProjectFields } space { ...SpaceFields }
    notifications { ...NotificationFields } parentFolder { ...FolderFields } parentFolderId
    pathToDocument { ...FolderFields } permissions { ...HubPermissionsFields }
    potentialSubscribers { ...SubscriberFields } publicUrl url publishedAt insertedAt updatedAt
    reactions { ...ReactionFields } resourceHub { ...HubFields } resourceHubId state
    subscriptionList { ...SubscriptionListFields }
  }`,
  VersionFields: `on DocumentVersion {
    __typename id versionNumber title content titleChanged contentChanged editor { ...PersonFields } insertedAt
    isCurrent origin restoredFromVersionNumber
  }`,
};

type Name = keyof typeof fragments;

const spread = /\.\.\.(\w+)/g;

/** Adds the definitions of all fragments that the document uses, directly or through others. */
export function withFragments(document: string): string {
  const used = new Set<string>();
  const collect = (text: string) => {
    for (const [, name] of text.matchAll(spread)) {
      if (!name || used.has(name)) continue;
      used.add(name);
      collect(fragments[name as Name]);
    }
  };
  collect(document);
  return [document, ...[...used].map((name) => `fragment ${name} ${fragments[name as Name]}`)].join('\n');
}
