// Reads a goal and a document of the same id into Apollo's cache, as docs/clients.md sets it up.
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';

const [base, token = '', id = ''] = process.argv.slice(2);
const cache = new InMemoryCache();
const client = new ApolloClient({
  link: new HttpLink({ uri: `${base}/graphql`, headers: { Authorization: `Bearer ${token}` } }),
  cache,
});
const query = gql`
  query Records($id: ID!) {
    goal(id: $id) {
      id
      name
    }
    resourceHubDocument(id: $id) {
      id
      name
    }
  }
`;
await client.query({ query, variables: { id } });
const names = Object.entries(cache.extract()).flatMap(([key, record]) => (record?.name ? [[key, record.name]] : []));
console.log(JSON.stringify(Object.fromEntries(names)));
