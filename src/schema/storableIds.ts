import SchemaBuilder, {
  BasePlugin,
  createInputValueMapper,
  type InputTypeFieldsMapping,
  mapInputFields,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  resolveInputTypeConfig,
  type SchemaTypes,
} from '@pothos/core';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      storableIds: StorableIdsPlugin<Types>;
    }
  }
}

/**
 * Makes every id in a field's arguments, at any depth, an id that Postgres can hold. Without this, an id with NUL is 500,
 * an error of PostgreSQL, where it should be 404.
 */
class StorableIdsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  readonly #mappings = new Map<string, InputTypeFieldsMapping<Types, true>>();

  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const isId = ({ type }: PothosInputFieldConfig<Types>) =>
      resolveInputTypeConfig(type, this.buildCache).name === 'ID' || null;
    const ids = mapInputFields(field.args, this.buildCache, isId, this.#mappings);
    if (!ids) return field;
    const mapIds = createInputValueMapper(ids, storableId);
    return { ...field, argMappers: [...field.argMappers, (args) => mapIds(args)] };
  }
}

// Postgres cannot hold NUL or a lone surrogate. U+FFFD takes their place, which the import refuses in ids: so nothing
// has such an id.
export const storableId = (id: unknown) => String(id).toWellFormed().replaceAll('\0', '\uFFFD');

SchemaBuilder.registerPlugin('storableIds', StorableIdsPlugin);
