import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
  validate,
} from 'graphql';
import type { StoredMutation } from './storedMutation.js';

/** A stored mutation, parsed and validated, and its parts of the schema. */
export interface PreparedMutation extends Omit<StoredMutation, 'document'> {
  document: DocumentNode;
  /** The mutation field. */
  name: string;
  field: GraphQLField<unknown, unknown>;
  /** The type of the argument `input`, and the same without its non-null. */
  inputType: GraphQLInputType;
  inputObject: GraphQLInputObjectType;
  payloadType: GraphQLObjectType;
  /** What the document selects of the payload. */
  selection: SelectionSetNode;
}

/** Parses and validates a stored mutation, once per gateway. Throws if it does not fit the schema. */
export function prepare(schema: GraphQLSchema, stored: StoredMutation): PreparedMutation {
  const { path, document: text } = stored;
  const document = parse(text, { noLocation: true });
  const [error] = validate(schema, document);
  if (error) throw new Error(`the stored mutation of ${path} does not fit the schema: ${error.message}`);
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const node = operation?.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  const field = node && schema.getMutationType()?.getFields()[node.name.value];
  const inputType = field?.args.find(({ name }) => name === 'input')?.type;
  const inputObject = getNullableType(inputType);
  const payloadType = getNullableType(field?.type);
  if (!field || !node.selectionSet || !inputType || !isInputObjectType(inputObject) || !isObjectType(payloadType)) {
    throw new Error(`the stored mutation of ${path} has no mutation field with an input and a payload`);
  }
  return {
    ...stored,
    document,
    name: field.name,
    field,
    inputType,
    inputObject,
    payloadType,
    selection: node.selectionSet,
  };
}
