import { createContextCache } from '@pothos/core';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';

const sharedIn = createContextCache((_context: Context) => ({
  numbers: new Map<FieldNode, number>(),
  values: new Map<string, unknown>(),
}));

/**
 * What all rows of a list above a field share, such as its loaders. Fragments on several types can have different fields
 * at one path of the response, so all the places in the document that ask for the field count too.
 */
export function sharedBySiblings<Shared>(context: Context, info: GraphQLResolveInfo, create: () => Shared): Shared {
  const { numbers, values } = sharedIn(context);
  const places = info.fieldNodes.map((node) => {
    const number = numbers.get(node) ?? numbers.size;
    numbers.set(node, number);
    return number;
  });
  const key = `${places.join()} ${pathOf(info)}`;
  const shared = (values.get(key) as Shared | undefined) ?? create();
  values.set(key, shared);
  return shared;
}

/** The path of a field in the response, the same for all rows of a list above it. */
function pathOf({ parentType, path }: GraphQLResolveInfo): string {
  const keys: (string | number)[] = [];
  for (let step: typeof path | undefined = path; step; step = step.prev) {
    if (typeof step.key === 'string') keys.push(step.key);
  }
  return [parentType.name, ...keys].join(' ');
}
