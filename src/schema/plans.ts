import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import { models } from '../generated/models.js';
import { KeptSelection } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';

type Ids = Pick<Actor, 'companyId' | 'personId'>;

interface KeptQuery {
  characters: number;
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
  const make = ({ companyId, personId }: Ids) => {
    const own = new Map([
      [placeholders.companyId, companyId],
      [placeholders.personId, personId],
    ]);
    return { [name]: new KeptSelection(selection as object, own) };
  };
  return { characters: text.length, make };
}

type Options = Pick<Parameters<typeof queryFromInfo>[0], 'typeName' | 'paths' | 'select'>;

/** The part of the heap that plans may fill. */
const share = 1 / 64;
/** About how much a plan takes beside its text, and for each character of that. */
const bytesPerPlan = 1_000;
const bytesPerCharacter = 8;

/** Stands for the query of a field that Pothos plans each time. */
const left = { characters: 0, make: undefined };

/** What is planned for a field of a document that is kept. */
const plans = new LRUCache<string, KeptQuery | typeof left, Options & { info: GraphQLResolveInfo }>({
  maxSize: Math.floor(getHeapStatistics().heap_size_limit * share),
  sizeCalculation: ({ characters }, key) => bytesPerPlan + (key.length + characters) * bytesPerCharacter,
  memoMethod: (_key, _stale, { context: planned }) =>
    isLeft(planned.info) ? left : keptQuery(queryFromInfo({ ...planned, context: onlyIds() })),
});

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
function conditionsOf({ operation, variableValues }: GraphQLResolveInfo): string {
  const values = (operation.variableDefinitions ?? []).map(({ variable }) => variableValues[variable.name.value]);
  return values.map((value) => (typeof value === 'boolean' ? Number(value) : '')).join();
}

/** What to load for a field, as Pothos plans it: once for a document and all callers, whose ids are only passed on. */
export function plannedQuery(context: Context, info: GraphQLResolveInfo, options: Options = {}): object {
  // Fields of one name are merged where they meet, which is not everywhere the same.
  const key = JSON.stringify([info.fieldNodes.map(numberOf), info.parentType.name, conditionsOf(info), options]);
  const { make } = plans.memo(key, { context: { ...options, info } });
  if (make) return make(context.actor);
  pathsIn(context).add(info.path);
  return queryFromInfo({ ...options, context, info });
}

/** The fields of an operation whose queries were left to Pothos. */
function pathsIn({ shared }: Context): Set<GraphQLResolveInfo['path']> {
  const known = shared.get(left) ?? new Set();
  shared.set(left, known);
  return known as Set<GraphQLResolveInfo['path']>;
}

/** Whether Pothos has planned what a field of the row resolves from, so that only Pothos knows what was loaded. */
function isBeneath(context: Context, { prev }: GraphQLResolveInfo['path']): boolean {
  const paths = context.shared.get(left) as Set<unknown> | undefined;
  if (!paths) return false;
  for (let path = prev; path; path = path.prev) if (paths.has(path)) return true;
  return false;
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      loadedFields: LoadedFieldsPlugin<Types>;
    }
  }
}

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
    const select = field.extensions?.pothosPrismaSelect;
    const selected = select && selectedBy(select);
    if (field.kind !== 'PrismaObject' || !selected) return resolve;
    const names = Object.keys(selected);
    const resolveLoaded = field.resolve ?? defaultFieldResolver;
    return (row, args, context, info) => {
      if (isBeneath(context as Context, info.path) && waysIn(info).length > 0) return resolve(row, args, context, info);
      const loaded = row as Record<string, unknown>;
      for (const name of names) if (loaded[name] === undefined) return resolve(row, args, context, info);
      return resolveLoaded(row as never, args, context, info);
    };
  }

  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    return Object.assign(schema, { extensions: { ...schema.extensions, varyingFields: varyingFieldsOf(schema) } });
  }
}

/** A `select` of a field; its third argument makes a query for the rows of a relation. */
type Select = (args: object, context: object, nested: (query?: unknown) => unknown) => { select?: object } | null;

const fail = () => {
  throw new Error('the arguments are read');
};
/** Arguments of which nothing may be read. */
const unread = new Proxy({}, { get: fail, has: fail, ownKeys: fail });

/** What a field selects of its row for every caller; undefined if it may depend on more than the caller's ids. */
function selectedBy(select: unknown): object | undefined {
  if (typeof select !== 'function') return select as object;
  const nested = (query: unknown = {}) => (typeof query === 'function' ? query(unread, onlyIds()) : query);
  try {
    const selected = (select as Select)(unread, onlyIds(), nested);
    return selected instanceof Promise ? undefined : (selected?.select ?? {});
  } catch {
    return undefined;
  }
}

type Query = { [name: string]: true | Query };

/** In which way a field loads or counts a relation. A row has a relation in one of its ways. */
type Way = [relation: string, way: string];
type WaysOfField = [field: string, Way[]];

/** Of a field that depends on its arguments: no plan that is kept has its way. */
const ofArguments: Way[] = [
  ['arguments', 'of one call'],
  ['arguments', 'of another'],
];

const wayOf = (query: unknown) => inspect(query, { depth: null });

const waysOfSelection = (model: string, selected: object): Way[] =>
  Object.entries(selected as Query).flatMap(([part, query]): Way[] => {
    const { select = {}, include = {}, ...way } = query === true ? ({} as Query) : query;
    if (part === '_count') return Object.entries(select).map(([name, how]) => [`${model}#${name}`, wayOf(how)]);
    const relation = models[model]?.relations[part];
    const beneath = relation && waysOfSelection(relation.model, { ...(select as Query), ...(include as Query) });
    return beneath ? [[`${model}.${part}`, wayOf(way)], ...beneath] : [];
  });

/** The fields whose rows depend on more than the row and the caller's ids, each with its ways of what has several. */
export function varyingFieldsOf(schema: GraphQLSchema): WaysOfField[] {
  const fields = Object.values(schema.getTypeMap()).flatMap((type): WaysOfField[] => {
    const { pothosPrismaModel: model, pothosPrismaSelect, pothosPrismaInclude } = type.extensions;
    if ((!isObjectType(type) && !isInterfaceType(type)) || !model) return [];
    const ofRow = { ...(pothosPrismaSelect as Query), ...(pothosPrismaInclude as Query) };
    return Object.values(type.getFields()).map(({ name, extensions: { pothosPrismaSelect: select } }) => {
      const selected = select ? selectedBy(select) : {};
      const ways = [ofRow, selected ?? {}].flatMap((part) => waysOfSelection(String(model), part));
      return [name, selected ? ways : ofArguments];
    });
  });
  const ways = new Map<string, Set<string>>();
  for (const [relation, way] of fields.flatMap(([, own]) => own))
    ways.set(relation, (ways.get(relation) ?? new Set()).add(way));
  return fields
    .map(([name, own]): WaysOfField => [name, own.filter(([relation]) => (ways.get(relation)?.size ?? 0) > 1)])
    .filter(([, own]) => own.length > 0);
}

const waysByField = new WeakMap<object, Way[]>();

/** In which ways a field of a document and those beneath it load relations, if there are several. */
function waysIn(info: GraphQLResolveInfo): Way[] {
  const varying = info.schema.extensions.varyingFields as WaysOfField[];
  if (varying.length === 0) return [];
  // graphql-js gives all rows of a list the same array of nodes.
  let ways = waysByField.get(info.fieldNodes);
  if (!ways) {
    ways = varying.flatMap(([name, own]) => (name === info.fieldName || selects(info, name) ? own : []));
    waysByField.set(info.fieldNodes, ways);
  }
  return ways;
}

/** Whether rows would have to have a relation in several ways: Pothos plans such a field, slower, and loads what is missing. */
function isLeft(info: GraphQLResolveInfo): boolean {
  const ways = waysIn(info);
  const last = new Map(ways);
  return ways.some(([relation, way]) => last.get(relation) !== way);
}

/** Whether a field of this name stands anywhere beneath a field. */
export function selects({ fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>, name: string) {
  const spread = new Set<string>();
  const has = (selections: SelectionSetNode | undefined): boolean =>
    selections?.selections.some((node) => {
      if (node.kind !== Kind.FRAGMENT_SPREAD)
        return (node.kind === Kind.FIELD && node.name.value === name) || has(node.selectionSet);
      if (spread.has(node.name.value)) return false;
      spread.add(node.name.value);
      return has(fragments[node.name.value]?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => has(selectionSet));
}

SchemaBuilder.registerPlugin('loadedFields', LoadedFieldsPlugin);
