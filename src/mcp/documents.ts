import { readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
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
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { fileUrl } from '../fileSystem.js';
import { capitalized, previewOf } from '../operations/declaration.js';
import { type Operation, operations } from '../operations/index.js';
import { badInput, type FieldError } from '../platform/failures/index.js';
import { bodyOf, type Fragments, fragmentsOf, selectedFields } from '../platform/graphql/index.js';
import { snakeCase } from '../platform/http/index.js';
import type { JsonSchema } from '../rest/openapi/schemas.js';
import { spellingOf } from '../rest/routes.js';

/** A stored document with one operation, and what the schema says of its fields, of which a run has one. */
export interface StoredDocument {
  document: DocumentNode;
  /** The field, or the first. */
  field: GraphQLField<unknown, unknown>;
  /** What a caller gives: the variables or, if the only one that a caller gives is an input object, that. */
  input: GraphQLInputObjectType;
  /** The variables for an input that has been read. */
  variablesOf(input: Record<string, unknown>): Record<string, unknown>;
  /** What the field of a run returned, and how REST spells that. */
  outcomeOf(data: Record<string, unknown>): { value: unknown; spelled: Record<string, unknown> };
  /** What of the result has which type: no more of its schema, which a model sees in each result. */
  output: Record<string, JsonSchema>;
}

export type StoredDocuments = (name: string) => StoredDocument;

/** What an operation's tool runs, and what shows it before. */
function documentsOf(schema: GraphQLSchema, { field, preview, tool }: Operation): string {
  const inputOf = (type: GraphQLObjectType | null | undefined, name: string) =>
    type?.getFields()[name]?.args.find((each) => each.name === 'input')?.type;
  return `query ${previewOf(field)}($input: ${inputOf(schema.getQueryType(), previewOf(field))}) {
    ${previewOf(field)}(input: $input) { ${preview.selection} }
  }
  mutation ${field}($input: ${inputOf(schema.getMutationType(), field)}) {
    ${field}(input: $input) { activity { ...ActivityFields } ${tool.selection} }
  }`;
}

/** Reads `documents.graphql`, and the documents of the operations, by name. Throws if they do not fit the schema. */
function separateDocuments(schema: GraphQLSchema): Record<string, DocumentNode> {
  const queries = readFileSync(fileUrl('mcp/documents.graphql'), 'utf8');
  const text = [...operations.map((operation) => documentsOf(schema, operation)), queries].join('\n');
  const whole = parse(text);
  const [error] = validate(schema, whole);
  if (error) throw new Error(`a document of the tools does not fit the schema: ${error.message}`);
  return separateOperations(whole);
}

/** The preview of each operation and its mutation, with what agents get of them. */
export function operationDocuments(schema: GraphQLSchema): DocumentNode[] {
  const documents = separateDocuments(schema);
  const names = [...operations.map(({ field }) => previewOf(field)), ...operations.map(({ field }) => field as string)];
  return names.map((name) => documents[name] as DocumentNode);
}

export function readDocuments(schema: GraphQLSchema): StoredDocuments {
  const stored = new Map(
    Object.entries(separateDocuments(schema)).map(([name, document]) => [name, prepare(schema, name, document)]),
  );
  return (name) => {
    const found = stored.get(name);
    if (!found) throw new Error(`the tools have no document ${name}`);
    return found;
  };
}

function prepare(schema: GraphQLSchema, name: string, document: DocumentNode): StoredDocument {
  const operation = getOperationAST(document);
  const type = operation && schema.getRootType(operation.operation);
  if (!operation || !type) throw new Error(`the document ${name} has no operation`);
  const fragments = fragmentsOf(document);
  const roots = selectedFields(operation.selectionSet, fragments).map((node) => {
    const field = type.getFields()[node.name.value] as GraphQLField<unknown, unknown>;
    const spell = spellingOf(schema, field.type, node.selectionSet, fragments);
    return { field, key: (node.alias ?? node.name).value, spell, output: outputOf(field.type, node, fragments) };
  });
  return {
    document,
    field: (roots[0] as (typeof roots)[number]).field,
    ...inputOf(schema, operation, name),
    outcomeOf(data) {
      const [root] = roots.filter(({ key }) => data[key] !== undefined);
      const value = root && data[root.key];
      return { value, spelled: root?.spell(value) as Record<string, unknown> };
    },
    output: Object.assign({}, ...roots.map(({ output }) => output)),
  };
}

/** `hasGoalId`: whether the argument `goalId` is given; `hasNone`: whether none of these is. */
const isPresence = (variable: string) => /^has[A-Z]/.test(variable);

/** The arguments that choose what a document reads, of which a call has at most one, if `hasNone` is one of its variables. */
const presenceOf = (argument: string) => `has${capitalized(argument)}`;

/** What a model knows of every list. */
const ofPaging = new Set(['first', 'after']);

/** The variables as an input object: each is described as the argument or the field of an input that it is for. */
function inputOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  of: string,
): Pick<StoredDocument, 'input' | 'variablesOf'> {
  const places = placesOf(schema, operation);
  const fields: Record<string, GraphQLInputFieldConfig> = {};
  const flags: string[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const { value: name } = variable.name;
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]) as GraphQLInputType | undefined;
    if (!isInputType(type)) throw new Error(`the document ${of} has a variable of no known type`);
    if (isPresence(name)) flags.push(name);
    else fields[name] = { ...places.get(name), type: defaultValue ? getNullableType(type) : type };
  }
  const whole = getNullableType(fields.input?.type);
  if (isInputObjectType(whole)) return { input: forAgents(bodyOf(whole)), variablesOf: (input) => ({ input }) };
  return {
    input: new GraphQLInputObjectType({ name: of, fields }),
    variablesOf(input) {
      const given = Object.keys(input)
        .map(presenceOf)
        .filter((flag) => flags.includes(flag));
      if (given.length > 1 && flags.includes(presenceOf('none'))) throw badInput(severalGiven(given));
      const all = given.length > 0 ? given : [presenceOf('none')];
      return { ...input, ...Object.fromEntries(flags.map((flag) => [flag, all.includes(flag)])) };
    },
  };
}

/** What is wrong with arguments of which a call has at most one. */
const severalGiven = (flags: string[]): FieldError[] => {
  const [first, ...others] = flags.map((flag) => snakeCase(flag.slice('has'.length)));
  const message = `must not be given together with ${first}`;
  return others.map((field) => ({ field, code: 'invalid', message }));
};

/** An input whose record must be named: where a request may name none, an agent has no reason to. */
function forAgents(input: GraphQLInputObjectType): GraphQLInputObjectType {
  const { fields, ...config } = input.toConfig();
  const changed = Object.entries(fields).map(([name, field]): [string, GraphQLInputFieldConfig] => {
    const { namesRecord } = field.extensions as { namesRecord?: string };
    if (!namesRecord) return [name, field];
    return [name, { ...field, description: namesRecord, type: new GraphQLNonNull(getNullableType(field.type)) }];
  });
  return new GraphQLInputObjectType({ ...config, fields: Object.fromEntries(changed) });
}

type Place = Pick<GraphQLInputFieldConfig, 'description' | 'extensions'>;

function placesOf(schema: GraphQLSchema, operation: OperationDefinitionNode): Map<string, Place> {
  const places = new Map<string, Place>();
  const info = new TypeInfo(schema);
  const field = (name: string) => {
    const parent = getNullableType(info.getParentInputType());
    return isInputObjectType(parent) ? parent.getFields()[name] : undefined;
  };
  const note = (place: Place | null | undefined, value: { kind: Kind; name?: { value: string } }) => {
    if (!place || value.kind !== Kind.VARIABLE || !value.name || places.has(value.name.value)) return;
    const { description, extensions } = place;
    places.set(value.name.value, { ...(!ofPaging.has(value.name.value) && { description }), extensions });
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
