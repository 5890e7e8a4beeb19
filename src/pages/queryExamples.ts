import { readFileSync } from 'node:fs';
import { hubItems } from '../rest/hubItems.js';
import type { LookUp } from '../rest/storedMutation.js';

interface Item {
  __typename: string;
  id: string;
  currentVersion?: number | null;
}

interface Nodes {
  nodes: { id: string }[];
}

interface Found {
  goals: Nodes;
  spaces: Nodes;
  hubs: Nodes;
}

const firstOfEach =
  '{ goals(first: 1) { nodes { id } } spaces(first: 1) { nodes { id } } hubs: resourceHubs(first: 1) { nodes { id } } }';

/** The fields without a REST path, in the order of their examples. */
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
  'events',
  'webhooks',
  'webhook',
  'createWebhook',
  'updateWebhook',
  'sendWebhook',
  'deleteWebhook',
];

/** The documents in `queries/`, with placeholders such as `"GOAL_ID"`. */
const documents = fields.map((field) => readFileSync(new URL(`./queries/${field}.graphql`, import.meta.url), 'utf8'));

/** One example for each of these fields, on records that the caller of the look-up can see. Without one, with placeholders. */
export async function queryExamples(lookUp?: LookUp): Promise<string[]> {
  const found = lookUp ? await lookUp<Found>(firstOfEach) : {};
  const items = lookUp ? await hubItems<Item>(lookUp, '... on ResourceHubDocument { currentVersion }') : [];
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
