import type { GraphQLError } from 'graphql';

/** What a subscription field yields. Its resolver gets it as its parent. */
type LiveItem =
  /** An event, or only how far the stream has come, for which nothing is executed. */
  | { cursor: string; event?: unknown }
  /** Why the stream may not go on. */
  | { failure: GraphQLError };

/** Where the items come from. After `return()`, an awaited one is `done`. Never rejects. */
export type LiveSource = AsyncIterableIterator<LiveItem> & Required<Pick<AsyncIterator<LiveItem>, 'return'>>;
