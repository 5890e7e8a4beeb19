import { type GraphQLOutputType, getNullableType, isEnumType, isListType, isObjectType } from 'graphql';
import { snakeCase } from '../naming.js';

/** A GraphQL answer as REST spells it: names in snake_case, enum values and type names in lower case. */
export function restAnswer(type: GraphQLOutputType, value: unknown): unknown {
  const nullable = getNullableType(type);
  if (value === null || value === undefined) return null;
  if (isListType(nullable)) return (value as unknown[]).map((item) => restAnswer(nullable.ofType, item));
  if (isEnumType(nullable)) return snakeCase(String(value));
  if (!isObjectType(nullable)) return value;
  const fields = nullable.getFields();
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const field = fields[name];
      return field ? [snakeCase(name), restAnswer(field.type, entry)] : [name, snakeCase(String(entry))];
    }),
  );
}
