import { randomUUID } from 'node:crypto';
import type { Attempt, Change, Mutation } from './history.js';

const paths = {
  restore: '/api/external/v1/documents/restore_document_version',
  reopen: '/api/external/v1/reopen_goal',
  delete: '/api/external/v1/delete_resource_hub_file',
  recover: '/api/external/v1/recover_resource_hub_file',
};

const fields = {
  restore: 'restoreDocumentVersion',
  reopen: 'reopenGoal',
  delete: 'deleteResourceHubFile',
  recover: 'recoverResourceHubFile',
};

const selections = {
  restore: 'document { id currentVersion } restoredVersion { id }',
  reopen: 'goal { id isClosed }',
  delete: 'file { id }',
  recover: 'file { id }',
};

const nestedSelections = {
  restore: 'document { id versions(first: 1) { nodes { id } } } restoredVersion { id }',
  reopen: 'goal { id activities(first: 1) { nodes { id } } }',
  delete: 'file { id activities(first: 1) { nodes { id } } }',
  recover: 'file { id activities(first: 1) { nodes { id } } }',
};

/** The input in REST's names. */
function inputOf(change: Change): Record<string, unknown> {
  if (change.kind === 'restore') {
    const { documentId, versionNumber, expectedCurrentVersion } = change;
    return { document_id: documentId, version_number: versionNumber, expected_current_version: expectedCurrentVersion };
  }
  if (change.kind !== 'reopen') return { file_id: change.fileId };
  const { goalId, message, subscriberIds, everyone } = change;
  return { id: goalId, message, subscriber_ids: subscriberIds, send_notifications_to_everyone: everyone };
}

const camel = (input: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), value]),
  );

function requestOf({ surface, changes, nested }: Mutation): { path: string; body: unknown } {
  const [first] = changes;
  if (surface === 'REST' && first) return { path: paths[first.kind], body: inputOf(first) };
  const names = changes.map(({ kind }) => fields[kind]);
  const variables = names.map((name, index) => `$i${index}: ${name[0]?.toUpperCase()}${name.slice(1)}Input!`);
  const selection = nested ? nestedSelections : selections;
  const roots = changes.map(
    ({ kind }, index) => `f${index}: ${names[index]}(input: $i${index}) { ${selection[kind]} }`,
  );
  return {
    path: '/graphql',
    body: {
      query: `mutation (${variables.join(', ')}) { ${roots.join(' ')} }`,
      variables: Object.fromEntries(changes.map((change, index) => [`i${index}`, camel(inputOf(change))])),
    },
  };
}

type Body = ReturnType<typeof JSON.parse>;

const patience = 60_000;

/** Sends the mutation once and takes down what came back. The signal cuts the connection. */
export async function attempt(base: string, mutation: Mutation, signal?: AbortSignal): Promise<Attempt> {
  const { path, body } = requestOf(mutation);
  const entry: Attempt = {
    sent: performance.now(),
    answered: Infinity,
    status: 0,
    requestId: randomUUID(),
    text: '',
    replayed: false,
    restored: [],
  };
  mutation.attempts.push(entry);
  try {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-request-id': entry.requestId,
        authorization: `Bearer ${mutation.token}`,
        ...(mutation.key && { 'idempotency-key': mutation.key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([AbortSignal.timeout(patience), ...(signal ? [signal] : [])]),
    });
    const text = await response.text();
    entry.status = response.status;
    entry.text = text;
    entry.replayed = response.headers.has('idempotency-replayed');
    if (response.headers.get('content-type')?.includes('json')) read(entry, mutation, JSON.parse(text));
  } catch {
    entry.status = 0;
  } finally {
    entry.answered = performance.now();
  }
  return entry;
}

/** The body with its members in order and without request ids. */
const comparable = (body: Body) =>
  JSON.stringify(Object.fromEntries(Object.entries(body).toSorted())).replace(/"request_?[iI]d":"[^"]*",?/g, '');

function read(entry: Attempt, { surface, changes }: Mutation, body: Body): void {
  entry.text = comparable(body);
  entry.code = surface === 'REST' ? body.code : body.errors?.[0]?.extensions?.code;
  if (entry.status !== 200) return;
  entry.restored = changes.map(({ kind }, index) => {
    if (kind !== 'restore') return undefined;
    const version = surface === 'REST' ? body.restored_version : body.data?.[`f${index}`]?.restoredVersion;
    return version === null ? null : version?.id;
  });
}

/** The current version that an answer tells: after a restore, or in a conflict. */
export function currentVersionIn({ text, status }: Attempt): number | undefined {
  const found = /"(?:current_version|currentVersion)":(\d+)/.exec(text)?.[1];
  return found && [200, 409].includes(status) ? Number(found) : undefined;
}
