import { type GraphQLSchema, getNullableType, isInputObjectType, parse, print } from 'graphql';
import { capitalized, type ExampleInput, type OperationExample, previewOf } from '../operations/declaration.js';
import { type Operation, operations } from '../operations/index.js';
import type { PreparedMutation } from '../rest/routes.js';

/** A stored mutation with its example. */
export interface ShownMutation extends PreparedMutation {
  example: OperationExample;
  /** A query for what the call would do. Its variables are the fields of the input. */
  preview: string | undefined;
  /** The same on the input of an example, with comments. */
  previewDocument: (input: ExampleInput) => { query: string; variables: Record<string, unknown> };
}

/** The operations as the pages show them; without previews where clients may send no query of their own. */
export function withExamples(
  schema: GraphQLSchema,
  mutations: readonly PreparedMutation[],
  { previews = true } = {},
): ShownMutation[] {
  const operationOf = new Map<string, Operation>(operations.map((each) => [each.field, each]));
  return mutations.flatMap((mutation) => {
    const operation = operationOf.get(mutation.name);
    if (!operation) return [];
    const { preview, previewDocument } = previewsOf(schema, operation);
    return { ...mutation, example: operation.example, preview: previews ? preview : undefined, previewDocument };
  });
}

function previewsOf(schema: GraphQLSchema, { field: ofMutation, example }: Operation) {
  const field = previewOf(ofMutation);
  const { about, selection } = example.preview;
  const args = schema.getQueryType()?.getFields()[field]?.args;
  const type = getNullableType(args?.find(({ name }) => name === 'input')?.type);
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  const variables = fields.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = fields.map(({ name }) => `${name}: $${name}`).join(', ');
  const document = `query ${capitalized(field)}($input: ${type}!) { ${field}(input: $input) { ${selection} } }`;
  const query = [...about.map((line) => `# ${line}`), print(parse(document)), ''].join('\n');
  return {
    preview: `query ${capitalized(field)}(${variables}) { preview: ${field}(input: { ${passed} }) { ${selection} } }`,
    previewDocument: (input: ExampleInput) => {
      const given = fields.flatMap(({ name }) => (name in input ? [[name, input[name]]] : []));
      return { query, variables: { input: Object.fromEntries(given) } };
    },
  };
}
