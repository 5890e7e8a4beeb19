import { snakeCase } from '../../naming.js';

/** How a surface spells input: GraphQL in camelCase with GraphQL's coercions, REST in snake_case without coercions. */
export interface Spelling {
  nameOf: (graphqlName: string) => string;
  strict: boolean;
}

export const graphqlSpelling: Spelling = { nameOf: (name) => name, strict: false };

export const restSpelling: Spelling = { nameOf: snakeCase, strict: true };
