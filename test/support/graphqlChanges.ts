import { CriticalityLevel, diff } from '@graphql-inspector/core';
import type { GraphQLSchema } from 'graphql';

/** The changes in a new GraphQL schema that break a client of the old one, one line for each. */
export async function breakingGraphqlChanges(old: GraphQLSchema, now: GraphQLSchema): Promise<string[]> {
  const changes = await diff(old, now);
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
}
