/** The records that the worked examples are about. */
export interface ExampleIds {
  goalId: string;
  /** Null when no file is left to delete. */
  fileToDeleteId: string | null;
  fileId: string;
  documentId: string;
  currentVersion: number;
  versionToRestore: number;
  spaceId: string;
  resourceHubId: string;
  folderId: string;
}

/** A workspace to try things on: a token that may write, and what it may write to. */
export interface Demo {
  token: string;
  ids: ExampleIds;
}

/** What stands in an example where nothing is known of the workspace. */
export const placeholders: ExampleIds = {
  goalId: 'GOAL_ID',
  fileToDeleteId: 'FILE_ID',
  fileId: 'FILE_ID',
  documentId: 'DOCUMENT_ID',
  currentVersion: 2,
  versionToRestore: 1,
  spaceId: 'SPACE_ID',
  resourceHubId: 'RESOURCE_HUB_ID',
  folderId: 'FOLDER_ID',
};

/** One request for each path of the REST facade. */
export const requests = (ids: ExampleIds): { title: string; path: string; body: object }[] => [
  { title: 'Reopen a goal', path: 'reopen_goal', body: { id: ids.goalId, message: 'We are not done yet' } },
  { title: 'Delete a file', path: 'delete_resource_hub_file', body: { file_id: ids.fileToDeleteId } },
  {
    title: 'Restore a document version',
    path: 'documents/restore_document_version',
    body: {
      document_id: ids.documentId,
      version_number: ids.versionToRestore,
      expected_current_version: ids.currentVersion,
    },
  },
];

// A JSON string is a GraphQL string too.
const text = JSON.stringify;

/** One tab of GraphiQL each, in this order; the tab is named like the operation. */
export const examples: ((ids: ExampleIds) => string)[] = [
  ({ goalId }) => `# Reopens a closed goal and says why.
# On an open goal it changes nothing.
mutation ReopenGoal {
  reopenGoal(
    input: {
      id: ${text(goalId)}
      message: "We are not done yet"
      sendNotificationsToEveryone: true
    }
  ) {
    goal {
      id
      name
      isClosed
      status
      progressPercentage
    }
  }
}
`,
  ({ fileToDeleteId }) => `# Deletes a file, recoverably.
# A second time, the answer is NOT_FOUND.
mutation DeleteResourceHubFile {
  deleteResourceHubFile(input: { fileId: ${text(fileToDeleteId)} }) {
    file {
      id
      name
      type
      size
      pathToFile {
        name
      }
    }
  }
}
`,
  ({ documentId, versionToRestore, currentVersion }) => `# Adds a version equal to an earlier one.
# expectedCurrentVersion is what you last saw:
# if it is not current any more, the answer is
# VERSION_CONFLICT, and nothing is written.
mutation RestoreDocumentVersion {
  restoreDocumentVersion(
    input: {
      documentId: ${text(documentId)}
      versionNumber: ${versionToRestore}
      expectedCurrentVersion: ${currentVersion}
    }
  ) {
    document {
      id
      name
      currentVersion
    }
    restoredVersion {
      versionNumber
      restoredFromVersionNumber
      editor {
        fullName
      }
    }
  }
}
`,
  () => `# Whose token this is, and what it may do.
query Viewer {
  viewer {
    person {
      id
      fullName
      title
    }
    token {
      name
      canWrite
      expiresAt
    }
  }
}
`,
  ({ goalId }) => `# A goal, what you may do with it,
# and what you have not read about it.
query Goal {
  goal(id: ${text(goalId)}) {
    id
    name
    isClosed
    closedAt
    status
    progressPercentage
    champion {
      fullName
    }
    permissions {
      canEdit
    }
    notifications {
      id
      insertedAt
    }
  }
}
`,
  ({ fileId }) => `# A file and where it lies.
query ResourceHubFile {
  resourceHubFile(id: ${text(fileId)}) {
    id
    name
    type
    size
    author {
      fullName
    }
    pathToFile {
      name
    }
    permissions {
      canDeleteFile
    }
  }
}
`,
  ({ documentId }) => `# A document and its versions, newest first.
query ResourceHubDocument {
  resourceHubDocument(id: ${text(documentId)}) {
    id
    name
    currentVersion
    versions(first: 5) {
      nodes {
        versionNumber
        title
        isCurrent
        origin
        titleChanged
        contentChanged
        insertedAt
        editor {
          fullName
        }
      }
    }
  }
}
`,
  ({ goalId }) => `# Who would be told of a reopening.
# Nothing is written: a read-only token will do.
query PreviewGoalReopen {
  previewGoalReopen(
    input: {
      id: ${text(goalId)}
      message: "We are not done yet"
      sendNotificationsToEveryone: true
    }
  ) {
    wouldReopen
    notified(first: 10) {
      totalCount
      nodes {
        fullName
      }
    }
  }
}
`,
  ({ documentId, versionToRestore }) => `# What a restore would change,
# and the version to expect. Nothing is written.
query PreviewDocumentRestore {
  previewDocumentRestore(
    documentId: ${text(documentId)}
    versionNumber: ${versionToRestore}
  ) {
    isNoOp
    expectedCurrentVersion
    titleBefore
    titleAfter
  }
}
`,
  () => `# Closed goals, by name.
query Goals {
  goals(first: 5, filter: { closed: true }) {
    nodes {
      id
      name
      status
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  () => `# The spaces you may see.
query Spaces {
  spaces(first: 5) {
    nodes {
      id
      name
      isMember
    }
  }
}
`,
  ({ spaceId }) => `# One space.
query Space {
  space(id: ${text(spaceId)}) {
    id
    name
    mission
    accessLevels {
      company
      space
    }
  }
}
`,
  () => `# The resource hubs you may see.
query ResourceHubs {
  resourceHubs(first: 5) {
    nodes {
      id
      name
    }
  }
}
`,
  ({ resourceHubId }) => `# What lies at the root of a hub.
query ResourceHub {
  resourceHub(id: ${text(resourceHubId)}) {
    id
    name
    nodes(first: 10) {
      nodes {
        __typename
        id
        name
      }
    }
  }
}
`,
  ({ folderId }) => `# What lies in a folder.
query ResourceHubFolder {
  resourceHubFolder(id: ${text(folderId)}) {
    id
    name
    childrenCount
    nodes(first: 10) {
      nodes {
        __typename
        id
        name
      }
    }
  }
}
`,
];
