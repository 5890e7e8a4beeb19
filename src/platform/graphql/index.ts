/** Deletes expired outcomes, except those that another transaction has locked. Returns their number. */
export { purgeOutcomes } from './changes.js';
export type { ExecuteDocument } from './graphql.js';
/** The GraphQL server: Yoga, with a plugin for each phase. */
export { createGraphql } from './graphql.js';
export type { PersistedDocuments } from './parsing.js';
/**
 * Reads the persisted documents: the `.graphql` files of a folder, or a JSON file that maps identifiers to documents.
 * The SHA-256 of a document, with and without the prefix `sha256:`, identifies it too. Throws a ConfigError.
 */
export { readPersistedDocuments } from './parsing.js';
export type { StreamSummary } from './subscriptions.js';
export type { QueryLimits } from './validation.js';
