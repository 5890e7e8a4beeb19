import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { keptQuery, type MakeQuery, onlyIds } from './keptQuery.js';

type Options = Pick<Parameters<typeof queryFromInfo>[0], 'typeName' | 'paths' | 'select'>;

/** The plan cache: what is planned for a field, as long as the executor keeps what is selected there. */
const plans = new WeakMap<GraphQLResolveInfo['fieldNodes'], Map<string, MakeQuery>>();

/**
 * What to load for a field, as Pothos plans it. A document that is sent again costs no planning: it is executed with the
 * same nodes. One plan serves all callers, as what a `select` or `query` of the schema reads are the caller's ids, which
 * it only passes on.
 */
export function plannedQuery(context: Context, info: GraphQLResolveInfo, options: Options = {}): object {
  const known = plans.get(info.fieldNodes) ?? new Map<string, MakeQuery>();
  plans.set(info.fieldNodes, known);
  const key = JSON.stringify(options);
  const make = known.get(key) ?? keptQuery(queryFromInfo({ ...options, context: onlyIds(), info }));
  known.set(key, make);
  return make(context.actor);
}
