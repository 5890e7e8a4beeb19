// Reads a goal and a document of the same id into a store, once with the key of docs/clients.md and once with Relay's own.
import {
  createOperationDescriptor,
  Environment,
  type EnvironmentConfig,
  type FetchFunction,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import goalsQuery, { type recordsGoalsQuery } from './generated/relay/recordsGoalsQuery.graphql.js';
import query, { type recordsQuery } from './generated/relay/recordsQuery.graphql.js';
import reopen, { type recordsReopenMutation } from './generated/relay/recordsReopenMutation.graphql.js';

const [base, token = '', id = ''] = process.argv.slice(2);

const send: FetchFunction = async ({ text }, variables) => {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: text, variables }),
  });
  return response.json();
};

const byTypeAndId: NonNullable<EnvironmentConfig['getDataID']> = ({ id }, type) => id && `${type}:${id}`;

async function inStore(getDataID?: EnvironmentConfig['getDataID']) {
  const environment = new Environment({
    network: Network.create(send),
    store: new Store(new RecordSource()),
    ...(getDataID && { getDataID }),
  });
  await fetchQuery<recordsQuery>(environment, query, { id }).toPromise();
  const { data } = environment.lookup(createOperationDescriptor(query, { id }).fragment);
  const { goal, resourceHubDocument: document, found } = data as unknown as recordsQuery['response'];
  await fetchQuery<recordsGoalsQuery>(environment, goalsQuery, {}).toPromise();
  return { goal: goal?.name, document: document?.name, nodes: found.edges.map(({ node }) => node.name) };
}

const variables: recordsReopenMutation['variables'] = { input: { id } };
// @ts-expect-error a variable of the wrong type does not compile
const wrong: recordsReopenMutation['variables'] = { input: { id: 1 } };
void [reopen, variables, wrong];

console.log(JSON.stringify({ byTypeAndId: await inStore(byTypeAndId), byIdAlone: await inStore() }));
