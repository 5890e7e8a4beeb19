import { getHeapStatistics } from 'node:v8';
import { Plan, setLoaderMappings } from '@pothos/selection-mapper';
import type { FieldNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.js';
import { entriesIn, type KeptQuery, keptQuery, onlyIds } from './keptQuery.js';
import { variablesBeneath } from './variablesBeneath.js';

type FromInfo = (...given: Parameters<typeof Plan.fromInfo>) => ReturnType<typeof Plan.fromInfo>;
type Adapter = Parameters<FromInfo>[0];
type Options = Parameters<FromInfo>[1];
type Mappings = Parameters<typeof setLoaderMappings>[2];

/** What Pothos has planned for a field: what to load, and which fields of the answer find it there. */
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

/**
 * Keeps what Pothos plans for a field of a document from its second use on, so that a document in the cache costs no
 * planning. One plan serves all callers: what a `select` or `query` of the schema reads of the context are the caller's
 * ids, which it only passes on. A field beneath which one reads anything else is planned for each request.
 */
export function keepPlans(schema: GraphQLSchema): GraphQLSchema {
  const plan: FromInfo = Plan.fromInfo.bind(Plan);
  const kept = new KeptPlans(plan);
  // Pothos offers no hook for it.
  const fromInfo: FromInfo = (adapter, options) =>
    (options.info.schema === schema && kept.find(adapter, options)) || plan(adapter, options);
  Plan.fromInfo = fromInfo as typeof Plan.fromInfo;
  return schema;
}

class KeptPlans {
  readonly #plan: FromInfo;
  readonly #fields = new WeakMap<FieldNode, KnownField>();
  #count = 0;
  /** Null for what cannot be kept. */
  readonly #plans = new LRUCache<string, { plan: KeptPlan | null }>({
    maxSize: Math.floor(getHeapStatistics().heap_size_limit * heapShare),
    sizeCalculation: ({ plan }, key) => 2 * key.length + bytesPerPlan + bytesPerEntry * entriesOf(plan),
  });

  constructor(plan: FromInfo) {
    this.#plan = plan;
  }

  find(adapter: Adapter, options: Options): ReturnType<FromInfo> {
    const key = this.#keyOf(options);
    if (key === undefined) return undefined;
    let known = this.#plans.get(key);
    if (!known) {
      known = { plan: this.#keep(adapter, options) };
      this.#plans.set(key, known);
    }
    const { plan } = known;
    if (!plan) return undefined;
    const query = (_seed: undefined, info = options.info) => {
      setLoaderMappings(options.context, info, plan.mappings);
      return plan.query.make((options.context as Context).actor);
    };
    return { query } as ReturnType<FromInfo>;
  }

  /** Names all that the plan depends on. Undefined for the first use of a field, and for what has no short name. */
  #keyOf({ info, typeName, path, paths, initial, skipDeferredFragments }: Options): string | undefined {
    const { fragments, parentType, variableValues } = info;
    const [node, ...others] = info.fieldNodes;
    if (!node || others.length > 0) return undefined;
    const field = this.#fields.get(node);
    if (!field) {
      this.#count += 1;
      this.#fields.set(node, { number: this.#count });
      return undefined;
    }
    field.variables ??= variablesBeneath(node, fragments);
    // Null is a value; absent is none.
    const values = field.variables.map((name) => (name in variableValues ? [variableValues[name]] : []));
    if (!values.flat().every(isShort)) return undefined;
    const { number } = field;
    return JSON.stringify([number, parentType.name, typeName, path, paths, initial, skipDeferredFragments, values]);
  }

  #keep(adapter: Adapter, options: Options): KeptPlan | null {
    try {
      const plan = this.#plan(adapter, { ...options, context: onlyIds });
      if (!plan || 'then' in plan) return null;
      const { root, mappings } = plan.play();
      return { query: keptQuery(adapter.toQuery(root)), mappings: withoutPositions(mappings) };
    } catch {
      // Planned with the context of the request, it works or says what is wrong.
      return null;
    }
  }
}

/** Positions are for other adapters, and would hold the document in memory. */
const withoutPositions = (mappings: Mappings): Mappings =>
  Object.fromEntries(Object.entries(mappings).map(([key, { nested }]) => [key, { nested: withoutPositions(nested) }]));

const entriesOf = (plan: KeptPlan | null) => (plan ? plan.query.entries + entriesIn(plan.mappings) : 0);

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longestValue;
  return value == null || typeof value === 'boolean' || typeof value === 'number';
}
