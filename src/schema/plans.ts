import { randomUUID } from 'node:crypto';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import { keptSelection } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';

type Ids = Pick<Actor, 'companyId' | 'personId'>;

/** Makes a query with the ids of a caller. */
type MakeQuery = (caller: Ids) => object;

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

/** Keeps a query that was planned with {@link onlyIds}, if it only selects and the reader knows all of it. */
export function keptQuery(query: object): MakeQuery {
  const [[name, selection] = [], ...others] = Object.entries(query);
  if (name === undefined) return () => query;
  if (others.length > 0 || !['select', 'include'].includes(name)) throw new Error('A query that is kept only selects');
  const kept = keptSelection(selection);
  for (const value of kept.values.flat()) requireWhole(value);
  return ({ companyId, personId }) => ({
    [name]: kept.withOwn(
      new Map([
        [placeholders.companyId, companyId],
        [placeholders.personId, personId],
      ]),
    ),
  });
}

function requireWhole(value: unknown): void {
  const isPart = (id: string) => typeof value === 'string' && value !== id && value.includes(id);
  if (Object.values(placeholders).some(isPart)) throw new Error('A placeholder is part of a text');
}

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
