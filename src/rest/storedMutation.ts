import { readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isObjectType,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  separateOperations,
} from 'graphql';
import { fileUrl } from '../files.js';
import type { Deprecation } from '../operations/declaration.js';
import { bodyOf } from '../platform/graphql/index.js';

/** The root of the REST paths. `v1` is only part of the path: the version of the product is that of package.json. */
export const apiRoot = '/api/external/v1';

/** The header that says whether a request has changed anything. */
export const changedHeader = 'Goalpost-Changed';

/** Days that callers have at least. */
export const leastNotice = 180;

const day = 24 * 3600 * 1000;

/** The headers of every response of a deprecated path (RFC 9745, RFC 8594). Throws if the notice is too short. */
export function deprecationHeaders(path: string, deprecation: Deprecation | undefined): Record<string, string> {
  if (!deprecation) return {};
  const [since, sunset] = [Date.parse(deprecation.since), Date.parse(deprecation.sunset)];
  if (!(sunset - since >= leastNotice * day)) {
    throw new Error(`the sunset of ${path} must be at least ${leastNotice} days after its deprecation`);
  }
  return { Deprecation: `@${since / 1000}`, Sunset: new Date(sunset).toUTCString() };
}

/** A path of the REST facade and the GraphQL mutation it stands for: one root field with one argument, `input`. */
export interface StoredMutation {
  path: string;
  /** What the operation does, such as `Reopen a goal`. */
  title: string;
  /** Without the fragments that it uses, which are in `fragments.graphql`. */
  document: string;
  /** Whether this gateway adds it to the documented paths. */
  isAddition?: true | undefined;
  deprecated?: Deprecation | undefined;
}

const fragments = parse(readFileSync(fileUrl('rest/fragments.graphql'), 'utf8'), {
  noLocation: true,
}).definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);

/** A stored mutation, parsed, and its parts of the schema. */
export interface PreparedMutation extends Omit<StoredMutation, 'document'> {
  document: DocumentNode;
  /** The mutation field. */
  name: string;
  field: GraphQLField<unknown, unknown>;
  /** What the argument `input` has in a body. */
  inputObject: GraphQLInputObjectType;
  payloadType: GraphQLObjectType;
  /** What the document selects of the payload. */
  selection: SelectionSetNode;
}

/** Whether REST says it in a header. */
const isHeader = (node: SelectionNode) => node.kind === Kind.FIELD && node.name.value === 'hasChanged';

/** Parses a stored mutation, once per gateway. That it fits the schema is tested, and costs a start nothing. */
export function prepare(schema: GraphQLSchema, stored: StoredMutation): PreparedMutation {
  const { path, document: text } = stored;
  const { definitions } = parse(text, { noLocation: true });
  const [document] = Object.values(
    separateOperations({ kind: Kind.DOCUMENT, definitions: [...definitions, ...fragments] }),
  );
  const operation = document && getOperationAST(document);
  const node = operation?.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  const field = node && schema.getMutationType()?.getFields()[node.name.value];
  const inputObject = getNullableType(field?.args.find(({ name }) => name === 'input')?.type);
  const payloadType = getNullableType(field?.type);
  if (!operation || !field || !node.selectionSet || !isInputObjectType(inputObject) || !isObjectType(payloadType)) {
    throw new Error(`the stored mutation of ${path} has no mutation field with an input and a payload`);
  }
  return {
    ...stored,
    document,
    name: field.name,
    field,
    inputObject: bodyOf(inputObject),
    payloadType,
    selection: { ...node.selectionSet, selections: node.selectionSet.selections.filter((each) => !isHeader(each)) },
  };
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments that are defined in documents, by name. */
export const fragmentsOf = (documents: readonly DocumentNode[]): Fragments =>
  new Map(
    documents
      .flatMap(({ definitions }) => definitions)
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((definition) => [definition.name.value, definition]),
  );

/** The fields of a selection, directly or through fragments. */
export function selectedFields({ selections }: SelectionSetNode, fragments: Fragments): FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return node;
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    return fragment ? selectedFields(fragment.selectionSet, fragments) : [];
  });
}
