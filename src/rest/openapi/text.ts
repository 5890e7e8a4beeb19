import { type GraphQLInputField, type GraphQLSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { snakeCase } from '../../naming.js';

/** Rewrites descriptions of the schema for REST: names and enum values in backticks get REST's spelling. */
export function restText(schema: GraphQLSchema): (description: string | null | undefined) => string {
  const names = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isEnumType(type)) for (const { name } of type.getValues()) names.add(name);
    if (isObjectType(type) || isInputObjectType(type))
      for (const name of Object.keys(type.getFields())) names.add(name);
  }
  return (description) =>
    (description ?? '').replace(/`(\w+)`/g, (whole, name) => (names.has(name) ? `\`${snakeCase(name)}\`` : whole));
}

/** What is said of a field: its description and, if it is deprecated, that and what to use instead. */
export const aboutField = (
  { description, deprecationReason }: Pick<GraphQLInputField, 'description' | 'deprecationReason'>,
  text: (description: string | null | undefined) => string,
) =>
  deprecationReason == null
    ? { description: text(description) }
    : { description: `${text(description)} Deprecated: ${text(deprecationReason)}`, deprecated: true };

/** `deleteResourceHubFile` -> `Delete resource hub file`. */
export const sentence = (name: string) => {
  const words = snakeCase(name).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
