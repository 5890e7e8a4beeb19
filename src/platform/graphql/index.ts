export {
  /** Deletes expired outcomes, except those that another transaction has locked. */
  purgeOutcomes,
  /** The outcome of a change that was made once, unless it has expired. */
  replayOutcome,
} from './changes.js';
export type { ExecuteDocument } from './graphql.js';
export {
  /** The GraphQL server: Yoga, with a plugin for each phase. */
  createGraphql,
} from './graphql.js';
export {
  /** Reads a value as an input type and collects the invalid fields: unknown, missing, null, of the wrong type or out of bounds. */
  readInput,
  /** A list may have this many times as many items as distinct items. */
  repeats,
  /** Names as REST spells them. */
  restSpelling,
} from './input.js';
export type { Once } from './operation.js';
export {
  /** The scope with which a token may run a mutation field. */
  scopeOf,
} from './operation.js';
export type { PersistedDocuments } from './parsing.js';
export {
  /** Reads the persisted documents: the `.graphql` files of a folder, or a JSON file that maps identifiers to documents. */
  readPersistedDocuments,
} from './parsing.js';
export type { StreamSummary } from './subscriptions.js';
export type { QueryLimits } from './validation.js';
