import { type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';

/** Undefined for a text that the schema does not allow to be executed. */
export function validDocument(schema: GraphQLSchema, text: string): DocumentNode | undefined {
  try {
    const document = parse(text);
    return validate(schema, document).length === 0 ? document : undefined;
  } catch {
    return undefined;
  }
}
