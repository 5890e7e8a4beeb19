import type { PreparedMutation } from '../rest/storedMutation.js';

/** An input of an operation, in GraphQL's names. */
export type ExampleInput = Record<string, unknown>;

/** Runs a query as the caller of the examples and returns its data, which lacks what failed. */
export type LookUp = <Found extends object>(query: string) => Promise<Partial<Found>>;

/** An input on records that exist, and what people call it. */
interface Choice {
  label: string;
  input: ExampleInput;
}

/** An example call for any workspace. */
interface MutationExample {
  /** Comment lines that explain the call. */
  about: string[];
  /** The input with placeholders, where no records are known. */
  input: ExampleInput;
  /** What the caller may change, the best example first. Each of its queries is within the query limits. */
  choices(lookUp: LookUp): Promise<Choice[]>;
  /** What the GraphQL example selects of the payload. */
  selection: string;
  /** A query for what the call would do. Its variables are the fields of the input. */
  preview?: string | undefined;
  repeat: Repeat;
  next: NextStep;
}

/** What the pages say of a record once the call has changed it. */
export interface Repeat {
  /** The fields of the input that name the record. */
  record: string[];
  /** What has become of the record. */
  done: string;
  /** What the same call would do now. */
  again: string;
}

/** What the pages offer after the call. */
export interface NextStep {
  label: string;
  /** The mutation field of the next call. */
  name: string;
  /** Fields of the next input, and the fields of this one that have their values. */
  from: Record<string, string>;
}

/** Bounds what an example may cost in any workspace. */
const mostFolders = 10;
const deepest = 4;

/** A node of a hub, with what was selected of it. */
interface Item {
  __typename: string;
  id: string;
  name: string;
  currentVersion?: number | null;
  versionsCount?: number;
  permissions?: { canDeleteFile?: boolean; canEditDocument?: boolean };
}

interface Container {
  nodes: { nodes: Item[] };
}

/** The items in the caller's hubs, with `selection`. The deepest in their hub come first: their responses show a path. */
export async function hubItems(lookUp: LookUp, selection: string): Promise<Item[]> {
  const nodes = `nodes(first: 20) { nodes { __typename id name ${selection} } }`;
  const { resourceHubs } = await lookUp<{ resourceHubs: { nodes: Container[] } }>(
    `{ resourceHubs(first: 5) { nodes { ${nodes} } } }`,
  );
  let level = itemsIn(resourceHubs?.nodes ?? []);
  const found = [level];
  while (found.length < deepest) {
    const folders = level.filter(({ __typename }) => __typename === 'ResourceHubFolder').slice(0, mostFolders);
    if (folders.length === 0) break;
    const aliases = folders.map(
      ({ id }, index) => `folder${index}: resourceHubFolder(id: ${JSON.stringify(id)}) { ${nodes} }`,
    );
    level = itemsIn(Object.values(await lookUp<Record<string, Container | null>>(`{ ${aliases.join(' ')} }`)));
    found.unshift(level);
  }
  return found.flat();
}

const itemsIn = (containers: (Container | null | undefined)[]): Item[] =>
  containers.flatMap((container) => container?.nodes.nodes ?? []);

interface FoundGoals {
  closed: Goals;
  open: Goals;
}

interface Goals {
  nodes: { id: string; name: string; reviewer: { id: string } | null; permissions: { canEdit: boolean } }[];
}

const goalsQuery = `{
  closed: goals(first: 50, filter: { isClosed: true, isArchived: false }) { ...Found }
  open: goals(first: 50, filter: { isClosed: false, isArchived: false }, orderBy: { field: UPDATED_AT, direction: DESC }) { ...Found }
}
fragment Found on GoalConnection { nodes { id name reviewer { id } permissions { canEdit } } }`;

const reopening = (id: string, subscriberIds: string[]) => ({
  id,
  message: 'We are not done yet',
  sendNotificationsToEveryone: true,
  subscriberIds,
});

const alreadyOpen = 'already open';

const reopenGoal: MutationExample = {
  about: ['Reopens a closed goal and says why.', 'On an open goal it changes nothing.'],
  input: reopening('GOAL_ID', []),
  async choices(lookUp) {
    const { closed, open } = await lookUp<FoundGoals>(goalsQuery);
    const editable = (list?: Goals) => (list?.nodes ?? []).filter(({ permissions }) => permissions.canEdit);
    const choice = ({ id, name, reviewer }: Goals['nodes'][number], label = name) => ({
      label,
      input: reopening(id, reviewer ? [reviewer.id] : []),
    });
    const [last] = editable(open);
    const all = editable(closed).map((goal) => choice(goal));
    if (all.length > 0 || !last) return all;
    return [choice(last, `${last.name} (${alreadyOpen})`)];
  },
  selection: 'goal { id name isClosed status progressPercentage }',
  preview: `query PreviewGoalReopen($id: ID, $message: String, $sendNotificationsToEveryone: Boolean, $subscriberIds: [ID!]) {
    preview: previewGoalReopen(input: {
      id: $id, message: $message, sendNotificationsToEveryone: $sendNotificationsToEveryone, subscriberIds: $subscriberIds
    }) {
      wouldChange
      notified(first: 10) { totalCount nodes { fullName } }
      subscribed(first: 10) { totalCount nodes { fullName } }
    }
  }`,
  repeat: { record: ['id'], done: alreadyOpen, again: 'Run again would change nothing: the goal is open.' },
  next: { label: 'Reopen another goal', name: 'reopenGoal', from: {} },
};

const deleteResourceHubFile: MutationExample = {
  about: ['Deletes a file; it can be recovered.', 'A second call fails with NOT_FOUND.'],
  input: { fileId: 'FILE_ID' },
  async choices(lookUp) {
    const items = await hubItems(lookUp, '... on ResourceHubFile { permissions { canDeleteFile } }');
    const files = items.filter(({ permissions }) => permissions?.canDeleteFile);
    // With null, the call succeeds and does nothing.
    if (files.length === 0) return [{ label: 'No file is left', input: { fileId: null } }];
    return files.map(({ id, name }) => ({ label: name, input: { fileId: id } }));
  },
  selection: 'file { id name type size pathToFile { name } }',
  preview: `query PreviewFileDelete($fileId: ID) {
    preview: previewFileDelete(input: { fileId: $fileId }) {
      wouldChange
      notified(first: 10) { totalCount nodes { fullName } }
    }
  }`,
  repeat: { record: ['fileId'], done: 'deleted', again: 'Run again would fail with NOT_FOUND: the file is deleted.' },
  next: { label: 'Recover this file', name: 'recoverResourceHubFile', from: { fileId: 'fileId' } },
};

const mostDocuments = 8;

interface Version {
  versionNumber: number;
  title: string;
  titleChanged: boolean;
  contentChanged: boolean;
  restoredFromVersionNumber: number | null;
}

interface Document {
  id: string;
  name: string;
  currentVersion: number;
  versions: { nodes: Version[] };
}

/** The versions that the caller may restore, of the documents that were found first. */
async function restorableVersions(lookUp: LookUp): Promise<Choice[]> {
  const items = await hubItems(lookUp, '... on ResourceHubDocument { currentVersion permissions { canEditDocument } }');
  const documents = items
    .filter(({ currentVersion, permissions }) => permissions?.canEditDocument && (currentVersion ?? 0) > 1)
    .slice(0, mostDocuments);
  if (documents.length === 0) return [];
  const aliases = documents.map(
    ({ id }, index) => `document${index}: resourceHubDocument(id: ${JSON.stringify(id)}) { ...Versions }`,
  );
  const read = await lookUp<Record<string, Document | null>>(`{ ${aliases.join(' ')} }
    fragment Versions on ResourceHubDocument {
      id name currentVersion
      versions(first: 20) { nodes { versionNumber title titleChanged contentChanged restoredFromVersionNumber } }
    }`);
  return Object.values(read).flatMap((document) => (document ? choicesOf(document) : []));
}

/** The oldest first; before them those with another title, because restoring them is most visible. */
function choicesOf({ id, name, currentVersion, versions }: Document): Choice[] {
  const oldestFirst = versions.nodes.toReversed();
  const texts = textsOf(oldestFirst);
  const different = oldestFirst.filter(({ versionNumber }) => texts.get(versionNumber) !== texts.get(currentVersion));
  const isRetitled = ({ title }: Version) => title !== name;
  return [...different.filter(isRetitled), ...different.filter((version) => !isRetitled(version))].map((version) => ({
    label: `${name}: version ${version.versionNumber} of ${currentVersion}${isRetitled(version) ? `, “${version.title}”` : ''}`,
    input: { documentId: id, versionNumber: version.versionNumber, expectedCurrentVersion: currentVersion },
  }));
}

/** For each version, the number of the first version with the same text, without reading the texts. */
function textsOf(oldestFirst: Version[]): Map<number, number> {
  const texts = new Map<number, number>();
  for (const { versionNumber, titleChanged, contentChanged, restoredFromVersionNumber: restored } of oldestFirst) {
    const isSame = !titleChanged && !contentChanged;
    const source = restored ?? (isSame ? versionNumber - 1 : versionNumber);
    texts.set(versionNumber, texts.get(source) ?? source);
  }
  return texts;
}

const restoreDocumentVersion: MutationExample = {
  about: [
    'Adds a version equal to an earlier one.',
    'expectedCurrentVersion is the version you',
    'last read. If it is no longer current, the',
    'call fails with VERSION_CONFLICT.',
  ],
  input: { documentId: 'DOCUMENT_ID', versionNumber: 1, expectedCurrentVersion: 2 },
  choices: restorableVersions,
  selection: `document { id name currentVersion }
    restoredVersion { versionNumber restoredFromVersionNumber editor { fullName } }`,
  preview: `query PreviewDocumentRestore($documentId: ID!, $versionNumber: Int!) {
    preview: previewDocumentRestore(input: { documentId: $documentId, versionNumber: $versionNumber }) {
      wouldChange
      difference {
        title { changes { kind text } }
        content { changes { kind text } }
        isFormattingOnly
      }
    }
  }`,
  repeat: {
    record: ['documentId', 'versionNumber'],
    done: 'restored',
    again: 'Run again would fail with VERSION_CONFLICT: expected_current_version is no longer the current version.',
  },
  next: {
    label: 'Undo this restore',
    name: 'restoreDocumentVersion',
    from: { documentId: 'documentId', versionNumber: 'expectedCurrentVersion' },
  },
};

interface DeletedFiles {
  resourceHubs: { nodes: { deletedFiles: { nodes: { id: string; name: string }[] } | null }[] };
}

const recoverResourceHubFile: MutationExample = {
  about: [
    'Brings a deleted file back: an addition of Goalpost to the documented operations.',
    'A file that is not deleted stays as it is.',
  ],
  input: { fileId: 'FILE_ID' },
  async choices(lookUp) {
    const { resourceHubs } = await lookUp<DeletedFiles>(
      '{ resourceHubs(first: 5) { nodes { deletedFiles(first: 10) { nodes { id name } } } } }',
    );
    const files = resourceHubs?.nodes.flatMap(({ deletedFiles }) => deletedFiles?.nodes ?? []) ?? [];
    // With null, the call succeeds and does nothing.
    if (files.length === 0) return [{ label: 'No file is deleted', input: { fileId: null } }];
    return files.map(({ id, name }) => ({ label: name, input: { fileId: id } }));
  },
  selection: 'file { id name pathToFile { name } }',
  preview: `query PreviewFileRecover($fileId: ID) {
    preview: previewFileRecover(input: { fileId: $fileId }) { wouldChange }
  }`,
  repeat: { record: ['fileId'], done: 'recovered', again: 'Run again would change nothing: the file is there.' },
  next: { label: 'Delete this file again', name: 'deleteResourceHubFile', from: { fileId: 'fileId' } },
};

const examples: Readonly<Record<string, MutationExample>> = {
  reopenGoal,
  deleteResourceHubFile,
  restoreDocumentVersion,
  recoverResourceHubFile,
};

/** A stored mutation with its example. */
export interface ShownMutation extends PreparedMutation {
  example: MutationExample;
}

/** The operations as the pages show them; without previews where clients may send no query of their own. */
export const withExamples = (mutations: readonly PreparedMutation[], { previews = true } = {}): ShownMutation[] =>
  mutations.map((mutation) => {
    const example = examples[mutation.name];
    if (!example) throw new Error(`${mutation.name} has no example in pages/operationExamples.ts`);
    return { ...mutation, example: previews ? example : { ...example, preview: undefined } };
  });
