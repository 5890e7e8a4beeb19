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

/** The records that the examples of queries are about. */
interface ExampleIds {
  goalId: string;
  fileId: string;
  documentId: string;
  versionNumber: number;
  spaceId: string;
  resourceHubId: string;
  folderId: string;
}

/** Queries for records that the examples can be about. */
export const lookUps = [
  '{ goals(first: 1) { nodes { id } } spaces(first: 1) { nodes { id } } hubs: resourceHubs(first: 1) { nodes { id } } }',
  hubItems('... on ResourceHubDocument { currentVersion }'),
];

/** The examples of queries on what {@link lookUps} found, one for each field; with placeholders for what was not found. */
export function queryExamples(found: Found): string[] {
  const items = deepestFirst(found);
  const last = (typename: string) => items.findLast(({ __typename }) => __typename === typename);
  const document = items.find(({ currentVersion }) => (currentVersion ?? 0) > 1) ?? last('ResourceHubDocument');
  const ids: ExampleIds = {
    goalId: found.goals?.nodes[0]?.id ?? 'GOAL_ID',
    // The last one, so that the example that deletes the first does not spoil the one that reads.
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
const text = JSON.stringify;

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
  ({ documentId, versionNumber }) => `# What a restore would change,
# and the version to expect. Nothing is written.
query PreviewDocumentRestore {
  previewDocumentRestore(
    documentId: ${text(documentId)}
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
