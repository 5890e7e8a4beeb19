import { readFileSync } from 'node:fs';
import { fileUrl } from '../files.js';
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

/** Finds nothing for who does not own the company. */
const webhooksOfOwner = '{ webhooks { id } }';

const firstOfEach =
  '{ goals(first: 1) { nodes { id } } spaces(first: 1) { nodes { id } } hubs: resourceHubs(first: 1) { nodes { id } } }';

/** The fields without a REST path, in the order of their examples; `listen` is the subscription. */
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
  'listen',
];

/** Those that only owners of the company may ask for. */
const ownersFields = ['webhooks', 'webhook', 'createWebhook', 'updateWebhook', 'sendWebhook', 'deleteWebhook'];

/** A document in `queries/`, with placeholders such as `"GOAL_ID"`. */
const documentOf = (field: string) => readFileSync(fileUrl(`pages/queries/${field}.graphql`), 'utf8');
const documents = fields.map(documentOf);
const ownersDocuments = ownersFields.map(documentOf);

/**
 * One example for each of these fields that the caller of the look-up may ask for, on records that the caller can see.
 * Without a look-up, all of them, with placeholders.
 */
export async function queryExamples(lookUp?: LookUp): Promise<string[]> {
  const found = lookUp ? await lookUp<Found>(firstOfEach) : {};
  const items = lookUp ? await hubItems<Item>(lookUp, '... on ResourceHubDocument { currentVersion }') : [];
  const { webhooks = undefined } = lookUp ? await lookUp<{ webhooks: { id: string }[] }>(webhooksOfOwner) : {};
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
    WEBHOOK_ID: webhooks?.[0]?.id,
  };
  // A JSON string is a GraphQL string too.
  const asked = lookUp && !webhooks ? documents : [...documents, ...ownersDocuments];
  return asked.map((each) => each.replace(/"([A-Z_]+)"/g, (_, name) => JSON.stringify(ids[name] ?? name)));
}
