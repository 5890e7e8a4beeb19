import { readFileSync } from 'node:fs';
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

/** Queries that find records for the examples. */
export const lookUps = [
  '{ goals(first: 1) { nodes { id } } spaces(first: 1) { nodes { id } } hubs: resourceHubs(first: 1) { nodes { id } } }',
  hubItems('... on ResourceHubDocument { currentVersion }'),
];

/** The query fields, in the order of their examples. */
const fields = [
  'viewer',
  'goal',
  'resourceHubFile',
  'resourceHubDocument',
  'previewGoalReopen',
  'previewDocumentRestore',
  'goals',
  'spaces',
  'space',
  'resourceHubs',
  'resourceHub',
  'resourceHubFolder',
];

/** The documents in `queries/`, with placeholders such as `"GOAL_ID"`. */
const documents = fields.map((field) => readFileSync(new URL(`./queries/${field}.graphql`, import.meta.url), 'utf8'));

/** One example for each query field, on the records that {@link lookUps} found, or with placeholders. */
export function queryExamples(found: Found): string[] {
  const items = deepestFirst(found);
  const last = (typename: string) => items.findLast(({ __typename }) => __typename === typename);
  const document = items.find(({ currentVersion }) => (currentVersion ?? 0) > 1) ?? last('ResourceHubDocument');
  const ids: Record<string, string | undefined> = {
    GOAL_ID: found.goals?.nodes[0]?.id,
    // The last one, because the example of the deletion deletes the first.
    FILE_ID: last('ResourceHubFile')?.id,
    DOCUMENT_ID: document?.id,
    SPACE_ID: found.spaces?.nodes[0]?.id,
    RESOURCE_HUB_ID: found.hubs?.nodes[0]?.id,
    FOLDER_ID: last('ResourceHubFolder')?.id,
  };
  // A JSON string is a GraphQL string too.
  return documents.map((each) => each.replace(/"([A-Z_]+)"/g, (_, name) => JSON.stringify(ids[name] ?? name)));
}
