import { getHeapStatistics } from 'node:v8';
import { queryFromInfo } from '@pothos/plugin-prisma';
import { setLoaderMappings } from '@pothos/selection-mapper';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.js';
import { entriesIn, type KeptQuery, keptQuery, onlyIds } from './keptQuery.js';
import { type Mappings, mappingsBeneath } from './mappingsBeneath.js';
import { variablesBeneath } from './variablesBeneath.js';

type Options = Pick<Parameters<typeof queryFromInfo>[0], 'typeName' | 'paths' | 'select'>;

/** What Pothos has planned for a field: what to load, and which fields of the response find it there. */
interface KeptPlan {
  query: KeptQuery;
  mappings: Mappings;
}

/** A field of a document that was asked for before. */
interface KnownField {
  number: number;
  /** On which its plan depends; found at the second use. */
  variables?: string[];
}

/** The part of the heap that plans may fill, and about how many bytes a plan and each entry of it need. */
const heapShare = 1 / 64;
const bytesPerPlan = 1500;
const bytesPerEntry = 150;
const longestValue = 100;

const fields = new WeakMap<FieldNode, KnownField>();
let count = 0;

/** The plan cache. Null for what cannot be kept. */
const plans = new LRUCache<string, { plan: KeptPlan | null }>({
  maxSize: Math.floor(getHeapStatistics().heap_size_limit * heapShare),
  sizeCalculation: ({ plan }, key) => 2 * key.length + bytesPerPlan + bytesPerEntry * entriesOf(plan),
});

/**
 * What to load for a field, as Pothos plans it. A plan is kept from the second use of a field of a document on, so that a
 * document that is sent again costs no planning. One plan serves all callers: what a `select` or `query` of the schema
 * reads of the context are the caller's ids, which it only passes on. A field beneath which one reads anything else is
 * planned for each request.
 */
export function plannedQuery(context: Context, info: GraphQLResolveInfo, options: Options = {}): object {
  const plan = keptPlan(info, options);
  if (!plan) return queryFromInfo({ ...options, context, info });
  setLoaderMappings(context, info, plan.mappings);
  return plan.query.make(context.actor);
}

function keptPlan(info: GraphQLResolveInfo, options: Options): KeptPlan | null {
  const key = keyOf(info, options);
  if (key === undefined) return null;
  let known = plans.get(key);
  if (!known) {
    known = { plan: planOf(info, options) };
    plans.set(key, known);
  }
  return known.plan;
}

/** Names all that the plan depends on. Undefined for the first use of a field, and for what has no short name. */
function keyOf({ fieldNodes, fragments, parentType, variableValues }: GraphQLResolveInfo, options: Options) {
  const [node, ...others] = fieldNodes;
  if (!node || others.length > 0) return undefined;
  const field = fields.get(node);
  if (!field) {
    count += 1;
    fields.set(node, { number: count });
    return undefined;
  }
  field.variables ??= variablesBeneath(node, fragments);
  // Null is a value; absent is none.
  const values = field.variables.map((name) => (name in variableValues ? [variableValues[name]] : []));
  return values.flat().every(isShort) ? JSON.stringify([field.number, parentType.name, options, values]) : undefined;
}

function planOf(info: GraphQLResolveInfo, options: Options): KeptPlan | null {
  try {
    const context = onlyIds();
    const query = keptQuery(queryFromInfo({ ...options, context, info }));
    return { query, mappings: mappingsBeneath(context, info) };
  } catch {
    // Planned with the context of the request, it works or says what is wrong.
    return null;
  }
}

const entriesOf = (plan: KeptPlan | null) => (plan ? plan.query.entries + entriesIn(plan.mappings) : 0);

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longestValue;
  return value == null || typeof value === 'boolean' || typeof value === 'number';
}
