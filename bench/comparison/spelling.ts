import { withFragments } from '../../test/support/restFragments.js';
import { type Call, pageSize, type Request, type Spelling } from './calls.js';

const root = '/api/external/v1';

/** The gateway's REST facade. */
const rest: Spelling = (call) => {
  const post = (path: string, body: object): Request => ({ path: `${root}${path}`, body: JSON.stringify(body) });
  switch (call.kind) {
    case 'restore':
      return post('/documents/restore_document_version', {
        document_id: call.documentId,
        version_number: call.versionNumber,
        expected_current_version: call.expectedCurrentVersion,
      });
    case 'reopen':
      return post('/reopen_goal', {
        id: call.id,
        message: call.message,
        subscriber_ids: call.subscriberIds,
        send_notifications_to_everyone: call.everyone,
      });
    case 'delete':
      return post('/delete_resource_hub_file', { file_id: call.fileId });
    default:
      throw new Error(`REST has no ${call.kind}`);
  }
};

/** The gateway: REST where it has a path, GraphQL for the rest. */
export const gateway: Spelling = (call) =>
  call.kind === 'goal' || call.kind === 'page' || call.kind === 'restores' ? graphql(call) : rest(call);

/** The documents that the facade runs, so that both surfaces and the peers with the same schema answer the same. */
const documents = {
  goal: withFragments('query ($id: ID!) { goal(id: $id) { ...GoalFields } }'),
  page: `query ($first: Int!) { goals(first: $first, orderBy: { field: INSERTED_AT }) {
    nodes { id name status progressPercentage champion { ...PersonFields } closedAt updatedAt } pageInfo { hasNextPage endCursor }
  } } fragment PersonFields on Person { id fullName title email avatarUrl type }`,
  restore: withFragments(`mutation ($input: RestoreDocumentVersionInput!) {
    restoreDocumentVersion(input: $input) { document { ...DocumentFields } restoredVersion { ...VersionFields } }
  }`),
  reopen: withFragments('mutation ($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal { ...GoalFields } } }'),
  delete: withFragments(
    'mutation ($input: DeleteResourceHubFileInput!) { deleteResourceHubFile(input: $input) { file { ...FileFields } } }',
  ),
};

const restores = (count: number) => {
  const numbers = Array.from({ length: count }, (_, n) => n);
  return `mutation (${numbers.map((n) => `$input${n}: RestoreDocumentVersionInput!`).join(', ')}) {
    ${numbers.map((n) => `restore${n}: restoreDocumentVersion(input: $input${n}) { document { id currentVersion } }`).join('\n')}
  }`;
};

/** The gateway's GraphQL, and the peers that have the same schema. */
export const graphql: Spelling = (call) => ({ path: '/graphql', body: JSON.stringify(graphqlBody(call)) });

function graphqlBody(call: Call): { query: string; variables: object } {
  const { kind, ...input } = call;
  switch (call.kind) {
    case 'goal':
      return { query: documents.goal, variables: { id: call.id } };
    case 'page':
      return { query: documents.page, variables: { first: pageSize } };
    case 'reopen': {
      const { id, message, subscriberIds, everyone } = call;
      const variables = { input: { id, message, subscriberIds, sendNotificationsToEveryone: everyone } };
      return { query: documents.reopen, variables };
    }
    case 'restores':
      return {
        query: restores(call.restores.length),
        variables: Object.fromEntries(call.restores.map((one, n) => [`input${n}`, one])),
      };
    case 'restore':
    case 'delete':
      return { query: documents[call.kind], variables: { input } };
  }
}

/** What was asked for, wherever GraphQL puts it: the payload of a mutation, or all data of a query. */
export function payloadOf(call: Call, answer: Record<string, unknown>): unknown {
  const { data = answer } = answer as { data?: Record<string, unknown> };
  return call.kind === 'goal' || call.kind === 'page' || !('data' in answer) ? data : Object.values(data)[0];
}
