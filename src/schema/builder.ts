import SchemaBuilder, {
  BasePlugin,
  createInputValueMapper,
  type InputTypeFieldsMapping,
  mapInputFields,
  type OutputRef,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  resolveInputTypeConfig,
  type SchemaTypes,
} from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import type { Transaction } from '../database.js';
import type PrismaTypes from '../generated/pothos.js';
import { getDatamodel } from '../generated/pothos.js';
import { notFound } from '../platform/failures/index.js';
import { withItemsCounted } from '../platform/graphql/index.js';
import { keyOf } from '../policies/access.js';
import { plannedQuery } from './plans.js';

// What a field costs besides the objects that it returns: about how many objects it reads.

/** A text that may be as long as a document. */
export const longText = { complexity: 20 };
export const twoLongTexts = { complexity: 40 };

/** Everybody whom something concerns, who may be thousands. */
export const everybody = { complexity: 2000 };

/** The unread notifications about something, which nobody may have read for years. */
export const allUnread = { complexity: 400 };

/** The events that a page looks at to find those that the caller can see. */
export const manyEvents = { complexity: 100 };

/** How many items a whole list has. */
export const wholeList = { complexity: 100 };

/** How much is in a folder: entries of three indexes, each at most once for all folders that are counted together. */
export const wholeFolder = { complexity: 2 };

/** The folders above something, which may be a hundred. */
export const manyFolders = { complexity: 20 };

/** A text that is looked for in every name. As an extension of an argument it counts only where that is given. */
export const everyName = { complexity: 250 };

/** The bounds of a text that is looked for in names: for contracts, those that `textErrors` requires. */
export const namedText = { maxLength: 200, bounds: { minLength: 2 } };

/** The columns that each type loads in any case. Its fields say which others they need. */
export const keyColumns = { id: true } as const;

/** The same, and by which key of the caller's company Pothos loads what a row lacks. */
export const byKey = {
  select: keyColumns,
  findUnique: ({ id }: { id: string }, { actor }: Context) => keyOf(actor, id),
};

// Pothos loads a relation once for two fields only if both sort it in the same way, so each order is written once.
export const oldestFirst = { orderBy: [{ insertedAt: 'asc' as const }, { id: 'asc' as const }] };
export const newestFirst = { orderBy: [{ insertedAt: 'desc' as const }, { id: 'desc' as const }] };
/** As people have arranged them. */
export const inOrder = { orderBy: [{ index: 'asc' as const }, { id: 'asc' as const }] };

/** The arguments that select only the newest. */
export const latest = { ...newestFirst, take: 1 };

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      boundFields: BoundFieldsPlugin<Types>;
    }
  }
}

/** Counts the items of lists. Makes ids in arguments storable: one with NUL would be 500, where it should be 404. */
class BoundFieldsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  readonly #mappings = new Map<string, InputTypeFieldsMapping<Types, true>>();

  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const isId = ({ type }: PothosInputFieldConfig<Types>) =>
      resolveInputTypeConfig(type, this.buildCache).name === 'ID' || null;
    const ids = mapInputFields(field.args, this.buildCache, isId, this.#mappings);
    if (!ids) return field;
    const mapIds = createInputValueMapper(ids, storableId);
    return { ...field, argMappers: [...field.argMappers, (args) => mapIds(args)] };
  }

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { type }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    return type.kind === 'List' ? withItemsCounted(resolve) : resolve;
  }
}

// Postgres cannot hold NUL or a lone surrogate. U+FFFD takes their place, which the import refuses in ids: so nothing
// has such an id.
export const storableId = (id: unknown) => String(id).toWellFormed().replaceAll('\0', '\uFFFD');

SchemaBuilder.registerPlugin('boundFields', BoundFieldsPlugin);

export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Date: { Input: Date; Output: Date };
    SafeInt: { Input: number; Output: bigint };
    JSON: { Input: never; Output: object };
  };
}>({
  plugins: ['boundFields', 'loadedFields', PrismaPlugin],
  defaultFieldNullability: false,
  // Of a client, Pothos calls `findUniqueOrThrow`, for a row that it has not planned to load, and never `$connect`.
  prisma: {
    client: ({ db }) => db as Transaction & { $connect(): Promise<void> },
    dmmf: getDatamodel(),
    filterConnectionTotalCount: true,
  },
});

/** An enum of these values, each with its description. GraphQL has their names in capitals. */
export const enumOf = <Value extends string>(
  name: string,
  description: string,
  values: Record<Value, string>,
  extensions: Record<string, unknown> = {},
) =>
  builder.enumType(name, {
    description,
    extensions,
    values: Object.fromEntries(
      (Object.entries(values) as [Value, string][]).map(([value, text]) => [
        value.toUpperCase(),
        { value, description: text },
      ]),
    ),
  });

/** The arguments with which a method of a model finds a record of the caller's company, with what is selected beneath a field. */
export const rowOf = (
  context: Context,
  info: GraphQLResolveInfo,
  id: string,
  options?: Parameters<typeof plannedQuery>[2],
) => ({
  ...plannedQuery(context, info, options),
  where: keyOf(context.actor, id),
});

/** A root field that looks a record up by its id. `named` is what errors call it, if its description has another word. */
export const lookUpField = <Row extends object>(
  field: string,
  type: OutputRef<Row>,
  { what, named = what, description }: { what: string; named?: string; description: string },
  find: (context: Context, id: string, query: object) => Promise<Row | null | undefined>,
) =>
  builder.queryField(field, (t) =>
    t.field({
      type: type as OutputRef<object>,
      nullable: true,
      description,
      args: { id: t.arg.id({ required: true, description: `The ID of the ${what}.` }) },
      resolve: async (_root, { id }, context, info) => {
        const found = await find(context, id, plannedQuery(context, info));
        if (!found) throw notFound(named, id);
        return found;
      },
    }),
  );
