import { type GraphQLSchema, isEnumType, isIntrospectionType } from 'graphql';

/** As `extensions` of an enum: clients expect values that they do not know, so that each is given as it is stored. */
export const newValues = { takesNewValues: true };

/**
 * Says of a stored value that its enum does not have where it comes from: it is no fault of the caller. Fails at its
 * field, or gives the value in capitals if the enum takes new ones.
 */
export function withStoredValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type) || isIntrospectionType(type)) continue;
    const serialize = type.serialize.bind(type);
    type.serialize = (value) => {
      try {
        return serialize(value);
      } catch {
        if (type.extensions.takesNewValues && typeof value === 'string') return value.toUpperCase();
        throw new Error(`${type.name} has no value ${JSON.stringify(value)}: a newer version wrote it`);
      }
    };
  }
  return schema;
}
