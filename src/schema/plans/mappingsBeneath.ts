import { getLoaderMapping, type setLoaderMappings } from '@pothos/selection-mapper';
import type { SelectionSetNode } from 'graphql';
import { type GraphQLResolveInfo, type GraphQLSchema, isInterfaceType, isObjectType, Kind } from 'graphql';

export type Mappings = Parameters<typeof setLoaderMappings>[2];

/**
 * What Pothos has noted in the context when it planned the field: which fields beneath find in the loaded rows what they
 * need. They are looked up one by one, as their resolvers would, because Pothos does not list them.
 */
export function mappingsBeneath(
  context: object,
  { path, fragments, fieldNodes, schema }: GraphQLResolveInfo,
): Mappings {
  const types = typesByField(schema);
  const found: Mappings = {};
  const read = (
    selections: SelectionSetNode | undefined,
    above: typeof path,
    place: string,
    spread = new Set<string>(),
  ) => {
    for (const part of selections?.selections ?? []) {
      if (part.kind === Kind.INLINE_FRAGMENT) read(part.selectionSet, above, place, spread);
      else if (part.kind === Kind.FRAGMENT_SPREAD) {
        const name = part.name.value;
        if (!spread.has(name)) read(fragments[name]?.selectionSet, above, place, spread.add(name));
      } else {
        const key = (part.alias ?? part.name).value;
        const here = { prev: above, key, typename: undefined };
        for (const type of types.get(part.name.value) ?? []) {
          const mapping = getLoaderMapping(context, here, type, null);
          if (mapping) found[`${type}@${place}${key}`] = withoutPosition(mapping);
        }
        read(part.selectionSet, here, `${place}${key}.`);
      }
    }
  };
  for (const { selectionSet } of fieldNodes) read(selectionSet, path, '');
  return found;
}

/** Positions are for other adapters, and would hold the document in memory. */
const withoutPosition = ({ nested }: Mappings[string]): Mappings[string] => ({
  nested: Object.fromEntries(Object.entries(nested).map(([key, mapping]) => [key, withoutPosition(mapping)])),
});

const known = new WeakMap<GraphQLSchema, Map<string, string[]>>();

/** The types that have a field of that name. */
function typesByField(schema: GraphQLSchema): Map<string, string[]> {
  const types = known.get(schema) ?? new Map<string, string[]>();
  if (known.has(schema)) return types;
  known.set(schema, types);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const name of Object.keys(type.getFields())) types.set(name, [...(types.get(name) ?? []), type.name]);
  }
  return types;
}
