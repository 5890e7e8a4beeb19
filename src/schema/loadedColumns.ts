import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql';
import { models } from '../database/generated/models.js';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      loadedColumns: LoadedColumnsPlugin<Types>;
    }
  }
}

/**
 * Resolves a value from its row if that has all the columns that the field selects. Without this, Pothos looks up for
 * each value of each row whether it was planned. Stands directly before the Prisma plugin.
 */
class LoadedColumnsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const columns = this.#columnsOf(field);
    if (!columns) return resolve;
    const resolveLoaded = field.resolve ?? defaultFieldResolver;
    return (row, args, context, info) => {
      const loaded = row as Record<string, unknown>;
      for (const name of columns) if (loaded[name] === undefined) return resolve(row, args, context, info);
      return resolveLoaded(row as never, args, context, info);
    };
  }

  /** The columns of a field that selects nothing else; undefined for other fields, and for those that return objects. */
  #columnsOf({ kind, type, parentType, extensions }: PothosOutputFieldConfig<Types>): string[] | undefined {
    const isValue = type.kind === 'Scalar' || type.kind === 'Enum';
    const selected = Object.entries(extensions?.pothosPrismaSelect ?? {});
    if (kind !== 'PrismaObject' || !isValue || selected.length === 0) return undefined;
    const model = models[String(this.buildCache.getTypeConfig(parentType).extensions?.pothosPrismaModel)];
    const areColumns = selected.every(([name, part]) => part === true && model?.columns[name]);
    return areColumns ? selected.map(([name]) => name) : undefined;
  }
}

SchemaBuilder.registerPlugin('loadedColumns', LoadedColumnsPlugin);
