export { type Beforehand, purgeOutcomes } from './changes.js';
export type { Resolving } from './execution.js';
export { createGraphql, type ExecuteDocument } from './graphql.js';
export { bodyOf, readInput, restSpelling } from './input.js';
export { type Fragments, fragmentsOf, type Once, type Plugin, scopeOf, selectedFields } from './operation.js';
export { readPlugins } from './plugins.js';
export { withItemsCounted } from './responseBound.js';
export { newValues, withStoredValues } from './storedValues.js';
export type { StreamContext, StreamSummary } from './subscriptions.js';
