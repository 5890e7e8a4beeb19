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

/** What is planned for a field of a document that is kept. */
const plans = new LRUCache<string, KeptQuery, Options & { info: GraphQLResolveInfo }>({
  maxSize: Math.floor(getHeapStatistics().heap_size_limit * share),
  sizeCalculation: ({ characters }, key) => bytesPerPlan + (key.length + characters) * bytesPerCharacter,
  memoMethod: (_key, _stale, { context: planned }) => keptQuery(queryFromInfo({ ...planned, context: onlyIds() })),
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
  if (leftToPothos(info)) return queryFromInfo({ ...options, context, info });
  // Fields of one name are merged where they meet, which is not everywhere the same.
  const key = JSON.stringify([info.fieldNodes.map(numberOf), info.parentType.name, conditionsOf(info), options]);
  return plans.memo(key, { context: { ...options, info } }).make(context.actor);
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
      if (leftToPothos(info)) return resolve(row, args, context, info);
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

/**
 * The names of the fields whose rows depend on more than the row and the caller's ids: on arguments, or on which of
 * several ways in which fields of the schema load a relation, or count one, the row was loaded in.
 */
export function varyingFieldsOf(schema: GraphQLSchema): ReadonlySet<string> {
  const varying = new Set<string>();
  const ways = new Map<string, Map<string, Set<string>>>();
  const note = (field: string, relation: string, way: object) => {
    const known = ways.get(relation) ?? new Map<string, Set<string>>();
    const text = inspect(way, { depth: null });
    ways.set(relation, known.set(text, (known.get(text) ?? new Set()).add(field)));
  };
  const noteAll = (field: string, name: string, selected: object): void => {
    for (const [part, query] of Object.entries(selected as Query)) {
      const { select, include, ...way } = query === true ? ({} as Query) : query;
      const relation = models[name]?.relations[part];
      if (part === '_count')
        for (const [counted, how] of Object.entries(select ?? {})) note(field, `${name}#${counted}`, how);
      if (!relation) continue;
      note(field, `${name}.${part}`, way);
      noteAll(field, relation.model, { ...(select as Query), ...(include as Query) });
    }
  };
  for (const type of Object.values(schema.getTypeMap())) {
    const model = type.extensions.pothosPrismaModel;
    if ((!isObjectType(type) && !isInterfaceType(type)) || !model) continue;
    const { pothosPrismaSelect, pothosPrismaInclude } = type.extensions;
    noteAll('', String(model), { ...(pothosPrismaSelect as Query), ...(pothosPrismaInclude as Query) });
    for (const { name, extensions } of Object.values(type.getFields())) {
      const select = extensions.pothosPrismaSelect;
      const selected = select && selectedBy(select);
      if (selected) noteAll(name, String(model), selected);
      else if (select) varying.add(name);
    }
  }
  for (const known of ways.values()) {
    if (known.size > 1) for (const fields of known.values()) for (const field of fields) varying.add(field);
  }
  return varying;
}

const left = new WeakMap<object, boolean>();

/** Whether Pothos alone plans and resolves an operation, since it asks for a field that varies: slower, and always right. */
function leftToPothos({ schema, operation, fragments }: GraphQLResolveInfo): boolean {
  const varying = schema.extensions.varyingFields as ReadonlySet<string>;
  if (varying.size === 0) return false;
  let isLeft = left.get(operation);
  if (isLeft === undefined) {
    isLeft = [operation, ...Object.values(fragments)].some((part) => asksFor(part.selectionSet, varying));
    left.set(operation, isLeft);
  }
  return isLeft;
}

const asksFor = (selected: SelectionSetNode | undefined, names: ReadonlySet<string>): boolean =>
  selected?.selections.some(
    (node) =>
      (node.kind === Kind.FIELD && names.has(node.name.value)) ||
      (node.kind !== Kind.FRAGMENT_SPREAD && asksFor(node.selectionSet, names)),
  ) ?? false;

SchemaBuilder.registerPlugin('loadedFields', LoadedFieldsPlugin);
