import { randomUUID } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import { defaultFieldResolver, type FieldNode, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql';
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

/** The plan cache: what is planned for a field, as long as its document is kept. When too much is kept, all is forgotten. */
let plans = new WeakMap<FieldNode, Map<string, KeptQuery>>();
let bytes = 0;

const numbers = new WeakMap<FieldNode, number>();
let lastNumber = 0;

function numberOf(node: FieldNode): number {
  const known = numbers.get(node);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(node, lastNumber);
  return lastNumber;
}

/** The values of the variables of an operation that may decide what is selected, in the order of its document. */
function conditionsOf({ shared }: Context, { operation, variableValues }: GraphQLResolveInfo): string {
  const known = shared.get(conditionsOf);
  if (known !== undefined) return known as string;
  const values = (operation.variableDefinitions ?? []).map(({ variable }) => variableValues[variable.name.value]);
  const conditions = values.map((value) => (typeof value === 'boolean' ? Number(value) : '')).join();
  shared.set(conditionsOf, conditions);
  return conditions;
}

/**
 * What to load for a field, as Pothos plans it. A document that is sent again costs no planning: it has the same nodes. One plan serves all callers, as what a `select` or `query` of the schema reads are the caller's ids, which
 * it only passes on.
 */
export function plannedQuery(context: Context, info: GraphQLResolveInfo, options: Options = {}): object {
  const [node, ...others] = info.fieldNodes;
  const known = plans.get(node as FieldNode) ?? new Map<string, KeptQuery>();
  // Fields of one name are merged where they meet, which is not everywhere the same.
  const key = JSON.stringify([info.parentType.name, others.map(numberOf), conditionsOf(context, info), options]);
  const kept = known.get(key) ?? keptQuery(queryFromInfo({ ...options, context: onlyIds(), info }));
  if (!known.has(key)) {
    known.set(key, kept);
    plans.set(node as FieldNode, known);
    countBytes(bytesPerPlan + (key.length + kept.characters) * bytesPerCharacter);
  }
  return kept.make(context.actor);
}

function countBytes(more: number): void {
  bytes += more;
  if (bytes <= mostBytes) return;
  bytes = 0;
  plans = new WeakMap();
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      loadedFields: LoadedFieldsPlugin<Types>;
    }
  }
}

/** A `select` of a field; its third argument makes a query for the rows of a relation. */
type Select = (args: object, context: object, nested: (query?: unknown) => unknown) => { select?: object } | null;

/**
 * Resolves a field from its row if that has all that the field selects. Without this, Pothos looks up for each field of
 * each row whether it was planned, by its path in the response, which it does not find for a plan that was kept: it loads
 * each row again, and a page of 50 takes six times the processor time. Stands directly before the Prisma plugin.
 */
class LoadedFieldsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const selected = selectedBy(field.extensions?.pothosPrismaSelect);
    if (field.kind !== 'PrismaObject' || !selected) return resolve;
    const names = Object.keys(selected);
    const resolveLoaded = field.resolve ?? defaultFieldResolver;
    return (row, args, context, info) => {
      const loaded = row as Record<string, unknown>;
      for (const name of names) if (loaded[name] === undefined) return resolve(row, args, context, info);
      return resolveLoaded(row as never, args, context, info);
    };
  }
}

/** What a field selects of its row, for anybody: not by its arguments, and by nothing of the context but the caller's ids. */
export function selectedBy(select: unknown): object | undefined {
  if (typeof select !== 'function') return (select as object | undefined) || undefined;
  const nested = (query: unknown = {}) => (typeof query === 'function' ? query(onlyIds(), onlyIds()) : query);
  return (select as Select)(onlyIds(), onlyIds(), nested)?.select ?? {};
}

SchemaBuilder.registerPlugin('loadedFields', LoadedFieldsPlugin);
