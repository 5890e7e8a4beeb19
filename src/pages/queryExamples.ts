import { deepestFirst, type HubItems, hubItems } from '../rest/hubItems.js';

interface Item {
  __typename: string;
  id: string;
  currentVersion?: number | null;
}

interface Nodes {
  nodes: { id: string }[];
}

type Found = HubItems<Item> & { goals?: Nodes; spaces?: Nodes; hubs?: Nodes };

/** The records that the example queries read. */
interface ExampleIds {
  goalId: string;
  fileId: string;
  documentId: string;
  versionNumber: number;
  spaceId: string;
  resourceHubId: string;
  folderId: string;
}

/** Queries that find records for the examples. */
export const lookUps = [
  '{ goals(first: 1) { nodes { id } } spaces(first: 1) { nodes { id } } hubs: resourceHubs(first: 1) { nodes { id } } }',
  hubItems('... on ResourceHubDocument { currentVersion }'),
];

/** One example for each query field, on the records that {@link lookUps} found, or with placeholders. */
export function queryExamples(found: Found): string[] {
  const items = deepestFirst(found);
  const last = (typename: string) => items.findLast(({ __typename }) => __typename === typename);
  const document = items.find(({ currentVersion }) => (currentVersion ?? 0) > 1) ?? last('ResourceHubDocument');
  const ids: ExampleIds = {
    goalId: found.goals?.nodes[0]?.id ?? 'GOAL_ID',
    // The last one, because the example of the deletion deletes the first.
    fileId: last('ResourceHubFile')?.id ?? 'FILE_ID',
    documentId: document?.id ?? 'DOCUMENT_ID',
    versionNumber: 1,
    spaceId: found.spaces?.nodes[0]?.id ?? 'SPACE_ID',
    resourceHubId: found.hubs?.nodes[0]?.id ?? 'RESOURCE_HUB_ID',
    folderId: last('ResourceHubFolder')?.id ?? 'FOLDER_ID',
  };
  return examples.map((example) => example(ids));
}

// A JSON string is a GraphQL string too.
const quoted = JSON.stringify;

const examples: ((ids: ExampleIds) => string)[] = [
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
# and your unread notifications about it.
query Goal {
  goal(id: ${quoted(goalId)}) {
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
  ({ fileId }) => `# A file and the path to it.
query ResourceHubFile {
  resourceHubFile(id: ${quoted(fileId)}) {
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
  resourceHubDocument(id: ${quoted(documentId)}) {
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
  ({ goalId }) => `# The people a reopening would notify.
# Writes nothing: a read-only token is enough.
query PreviewGoalReopen {
  previewGoalReopen(
    input: {
      id: ${quoted(goalId)}
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
  ({ documentId, versionNumber }) => `# What a restore would change,
# and the version to expect. Writes nothing.
query PreviewDocumentRestore {
  previewDocumentRestore(
    documentId: ${quoted(documentId)}
    versionNumber: ${versionNumber}
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
  space(id: ${quoted(spaceId)}) {
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
  ({ resourceHubId }) => `# The nodes at the root of a hub.
query ResourceHub {
  resourceHub(id: ${quoted(resourceHubId)}) {
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
  ({ folderId }) => `# The nodes in a folder.
query ResourceHubFolder {
  resourceHubFolder(id: ${quoted(folderId)}) {
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
