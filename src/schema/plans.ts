import { randomUUID } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import { KeptSelection } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';

type Ids = Pick<Actor, 'companyId' | 'personId'>;

/** A query that is kept. */
interface KeptQuery {
  /** How long its text is. */
  characters: number;
  /** Makes it with the ids of a caller. */
  make: (caller: Ids) => object;
}

/** What stands for the ids of the caller in a query that is kept. Nothing else has them. */
const placeholders: Ids = { companyId: randomUUID(), personId: randomUUID() };

/** A context that has the placeholders, and fails if anything else is read of it. Pothos may note something about it. */
export const onlyIds = (): object => strict({ actor: strict(placeholders) });

function strict<Given extends object>(object: Given): Given {
  return new Proxy(object, {
    get(target, name) {
      if (typeof name === 'string' && !Object.hasOwn(target, name))
        throw new Error(`A plan that is kept depends on ${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** Keeps a query that was planned with {@link onlyIds}, if it only selects. */
export function keptQuery(query: object): KeptQuery {
  const [[name, selection] = [], ...others] = Object.entries(query);
  if (name === undefined) return { characters: 0, make: () => query };
  if (others.length > 0 || !['select', 'include'].includes(name)) throw new Error('A query that is kept only selects');
  const text = JSON.stringify(selection);
  for (const id of Object.values(placeholders)) {
    if (text.split(id).length !== text.split(`"${id}"`).length) throw new Error('A placeholder is part of a text');
  }
  const kept = new KeptSelection(selection as object);
  const make = ({ companyId, personId }: Ids) => ({
    [name]: kept.withOwn(
      new Map([
        [placeholders.companyId, companyId],
        [placeholders.personId, personId],
      ]),
    ),
  });
  return { characters: text.length, make };
}

type Options = Pick<Parameters<typeof queryFromInfo>[0], 'typeName' | 'paths' | 'select'>;

/** The part of the heap that plans may fill. */
const share = 1 / 64;
/** About how much a plan takes beside its text, and for each character of that. */
const bytesPerPlan = 1_000;
const bytesPerCharacter = 8;
const mostBytes = getHeapStatistics().heap_size_limit * share;

/**
 * The plan cache: what is planned for a field, as long as the executor keeps what is selected there. When too much is
 * kept, all is forgotten.
 */
let plans = new WeakMap<GraphQLResolveInfo['fieldNodes'], Map<string, KeptQuery>>();
let bytes = 0;

/**
 * What to load for a field, as Pothos plans it. A document that is sent again costs no planning: it is executed with the
 * same nodes. One plan serves all callers, as what a `select` or `query` of the schema reads are the caller's ids, which
 * it only passes on.
 */
export function plannedQuery(context: Context, info: GraphQLResolveInfo, options: Options = {}): object {
  const known = plans.get(info.fieldNodes) ?? new Map<string, KeptQuery>();
  const key = JSON.stringify(options);
  const kept = known.get(key) ?? keptQuery(queryFromInfo({ ...options, context: onlyIds(), info }));
  if (!known.has(key)) {
    known.set(key, kept);
    plans.set(info.fieldNodes, known);
    count(bytesPerPlan + kept.characters * bytesPerCharacter);
  }
  return kept.make(context.actor);
}

function count(more: number): void {
  bytes += more;
  if (bytes <= mostBytes) return;
  bytes = 0;
  plans = new WeakMap();
}
