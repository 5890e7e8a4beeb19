import { ApolloClient, type ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import {
  ApolloClient as ApolloClient3,
  ApolloError,
  gql as gql3,
  HttpLink as HttpLink3,
  InMemoryCache as InMemoryCache3,
} from 'apollo-client-3/core/core.cjs';
import { parse } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';

interface Asked {
  url: string;
  token: string;
  /** What it accepts; the client's own if omitted. */
  accept?: string | undefined;
}

const headersOf = ({ token, accept }: Asked) => ({ authorization: `Bearer ${token}`, ...(accept && { accept }) });
const codeIn = (errors: readonly { extensions?: object }[] | undefined) =>
  (errors?.[0]?.extensions as { code?: unknown } | undefined)?.code;

/** How the users of each client get the code of a mutation's failure. */
export const codes: Record<string, (mutation: string, asked: Asked) => Promise<unknown>> = {
  async 'Apollo Client 4'(mutation, asked) {
    const link: ApolloLink = new HttpLink({ uri: asked.url, headers: headersOf(asked) });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const error = await client.mutate({ mutation: gql(mutation) }).catch((thrown: unknown) => thrown);
    return CombinedGraphQLErrors.is(error) ? codeIn(error.errors) : undefined;
  },
  async 'Apollo Client 3'(mutation, asked) {
    const link = new HttpLink3({ uri: asked.url, headers: headersOf(asked) });
    const client = new ApolloClient3({ link, cache: new InMemoryCache3() });
    const error = await client.mutate({ mutation: gql3(mutation) }).catch((thrown: unknown) => thrown);
    return error instanceof ApolloError ? codeIn(error.graphQLErrors) : undefined;
  },
  async urql(mutation, asked) {
    const exchanges = [cacheExchange, fetchExchange];
    const fetchOptions = { headers: headersOf(asked) };
    const client = new Client({ url: asked.url, exchanges, preferGetMethod: false, fetchOptions });
    const { error } = await client.mutation(parse(mutation), {}).toPromise();
    return codeIn(error?.graphQLErrors);
  },
  async 'graphql-request'(mutation, asked) {
    const client = new GraphQLClient(asked.url, { headers: headersOf(asked) });
    const error = await client.request(mutation).catch((thrown: unknown) => thrown);
    return error instanceof ClientError ? codeIn(error.response.errors) : undefined;
  },
};
