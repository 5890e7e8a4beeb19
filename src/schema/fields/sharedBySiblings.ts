import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { sharedInOperation } from '../sharedInOperation.js';

const sharedIn = sharedInOperation(() => new Map<GraphQLResolveInfo['fieldNodes'], unknown>());

/** What all rows of a list above a field share, such as its loaders: the executor gives them the same array of nodes. */
export function sharedBySiblings<Shared>(
  context: Context,
  { fieldNodes }: GraphQLResolveInfo,
  create: () => Shared,
): Shared {
  const shared = (sharedIn(context).get(fieldNodes) as Shared | undefined) ?? create();
  sharedIn(context).set(fieldNodes, shared);
  return shared;
}
