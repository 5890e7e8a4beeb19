import { readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  separateOperations,
  TypeInfo,
  typeFromAST,
  validate,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { fileUrl } from '../files.js';
import { previewOf } from '../operations/declaration.js';
import { type Operation, operations } from '../operations/index.js';
import { bodyOf } from '../platform/graphql/index.js';
import { snakeCase } from '../platform/http/index.js';
import type { JsonSchema } from '../rest/openapi/schemas.js';
import { type Fragments, fragmentsOf, type Spell, selectedFields, spellingOf } from '../rest/routes.js';

/** A stored document with one operation, which has one field, and what the schema says of it. */
export interface StoredDocument {
  document: DocumentNode;
  field: GraphQLField<unknown, unknown>;
  /** What a caller gives: the variables or, if the only one that a caller gives is an input object, that. */
  input: GraphQLInputObjectType;
  /** The variables for an input that has been read. */
  variablesOf(input: Record<string, unknown>): Record<string, unknown>;
  /** Spells what the field returns. */
  spell: Spell;
  /** The name of the field in the result. */
  key: string;
  /** What of the result has which type: no more of its schema, which a model sees in each result. */
  output: Record<string, JsonSchema>;
}

export type StoredDocuments = (name: string) => StoredDocument;

/** What an operation's tool runs, and what shows it before. */
function documentsOf(schema: GraphQLSchema, { field, preview, tool }: Operation): string {
  const inputOf = (type: GraphQLObjectType | null | undefined, name: string) =>
    type?.getFields()[name]?.args.find((each) => each.name === 'input')?.type;
  return `query ${previewOf(field)}($input: ${inputOf(schema.getQueryType(), previewOf(field))}) {
    preview: ${previewOf(field)}(input: $input) { ${preview.selection} }
  }
  mutation ${field}($input: ${inputOf(schema.getMutationType(), field)}) {
    ${field}(input: $input) { activity { ...ActivityFields } ${tool.selection} }
  }`;
}

/** Reads `documents.graphql`, and the documents of the operations. Throws if they do not fit the schema. */
export function readDocuments(schema: GraphQLSchema): StoredDocuments {
  const queries = readFileSync(fileUrl('mcp/documents.graphql'), 'utf8');
  const text = [queries, ...operations.map((operation) => documentsOf(schema, operation))].join('\n');
  const whole = parse(text);
  const [error] = validate(schema, whole);
  if (error) throw new Error(`a document of the tools does not fit the schema: ${error.message}`);
  const stored = new Map(
    Object.entries(separateOperations(whole)).map(([name, document]) => [name, prepare(schema, name, document)]),
  );
  return (name) => {
    const found = stored.get(name);
    if (!found) throw new Error(`the tools have no document ${name}`);
    return found;
  };
}

function prepare(schema: GraphQLSchema, name: string, document: DocumentNode): StoredDocument {
  const operation = getOperationAST(document);
  const [node] = operation?.selectionSet.selections ?? [];
  const type = operation && schema.getRootType(operation.operation);
  const field = node?.kind === Kind.FIELD && type?.getFields()[node.name.value];
  if (!operation || !field) throw new Error(`the document ${name} has no field`);
  return {
    document,
    field,
    ...inputOf(schema, operation, name),
    output: outputOf(field.type, node, fragmentsOf([document])),
    spell: spellingOf(schema, field.type, node.selectionSet, fragmentsOf([document])),
    key: (node.alias ?? node.name).value,
  };
}

/** The variables as an input object: each is described as the argument or the field of an input that it is for. */
function inputOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  name: string,
): Pick<StoredDocument, 'input' | 'variablesOf'> {
  const places = placesOf(schema, operation);
  const fields: Record<string, GraphQLInputFieldConfig> = {};
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]) as GraphQLInputType | undefined;
    if (!isInputType(type)) throw new Error(`the document ${name} has a variable of no known type`);
    const { description, extensions } = places.get(variable.name.value) ?? {};
    fields[variable.name.value] = {
      type,
      description,
      extensions,
      defaultValue: defaultValue && valueFromAST(defaultValue, type),
    };
  }
  const whole = getNullableType(fields.input?.type);
  if (isInputObjectType(whole)) return { input: bodyOf(whole), variablesOf: (input) => ({ input }) };
  return { input: new GraphQLInputObjectType({ name, fields }), variablesOf: (variables) => variables };
}

type Place = Pick<GraphQLInputFieldConfig, 'description' | 'extensions'>;

/** For what each variable of an operation is. */
function placesOf(schema: GraphQLSchema, operation: OperationDefinitionNode): Map<string, Place> {
  const places = new Map<string, Place>();
  const info = new TypeInfo(schema);
  const field = (name: string) => {
    const parent = getNullableType(info.getParentInputType());
    return isInputObjectType(parent) ? parent.getFields()[name] : undefined;
  };
  const note = (place: Place | null | undefined, value: { kind: Kind; name?: { value: string } }) => {
    if (place && value.kind === Kind.VARIABLE && value.name) places.set(value.name.value, place);
  };
  const visitor = {
    Argument: ({ value }: { value: { kind: Kind } }) => note(info.getArgument() as Place | null, value),
    ObjectField: ({ name, value }: { name: { value: string }; value: { kind: Kind } }) =>
      note(field(name.value), value),
  };
  visit(operation, visitWithTypeInfo(info, visitor));
  return places;
}

/** The types of the fields that a document selects of what it returns. Each may be absent: a failure has others. */
function outputOf(
  returned: GraphQLOutputType,
  { selectionSet }: FieldNode,
  fragments: Fragments,
): Record<string, JsonSchema> {
  const type = getNullableType(returned);
  if (!isObjectType(type) || !selectionSet) return {};
  return Object.fromEntries(
    selectedFields(selectionSet, fragments).flatMap(({ alias, name }) => {
      const field = type.getFields()[name.value];
      if (!field) return [];
      const kind = kindOf(getNullableType(field.type));
      return [[snakeCase((alias ?? name).value), { type: isNonNullType(field.type) ? kind : [kind, 'null'] }]];
    }),
  );
}

function kindOf(type: GraphQLOutputType): string {
  if (isListType(type)) return 'array';
  if (!isLeafType(type)) return 'object';
  return { Int: 'integer', SafeInt: 'integer', Boolean: 'boolean', Float: 'number' }[type.name] ?? 'string';
}
