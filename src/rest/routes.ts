import { readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLError,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  separateOperations,
} from 'graphql';
import { fileUrl } from '../fileSystem.js';
import { capitalized } from '../operations/declaration.js';
import { type Operation, operations } from '../operations/index.js';
import { badInput, type FieldError, problemOf, shortened } from '../platform/failures/index.js';
import {
  bodyOf,
  type ExecuteDocument,
  type Fragments,
  fragmentsOf,
  readInput,
  restSpelling,
  scopeOf,
  selectedFields,
} from '../platform/graphql/index.js';
import {
  expectsNothing,
  jsonResponse,
  preconditionHeader,
  type Route,
  readJson,
  snakeCase,
  snakeCased,
} from '../platform/http/index.js';
import type { Config } from '../settings.js';

/** The root of the REST paths. `v1` is only part of the path: the version of the product is that of package.json. */
export const apiRoot = '/api/external/v1';

/** The header that says whether a request has changed anything. */
export const changedHeader = 'Goalpost-Changed';

const fragments = parse(readFileSync(fileUrl('rest/fragments.graphql'), 'utf8'), {
  noLocation: true,
}).definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);

/** A path of the REST facade and the GraphQL mutation it stands for: one root field with one argument, `input`. */
export interface PreparedMutation {
  path: string;
  /** What the operation does, such as `Reopen a goal`. */
  title: string;
  /** Whether this gateway adds it to the documented paths. */
  isAddition?: true | undefined;
  /** A request on the records of the demo. */
  example?: Record<string, unknown> | undefined;
  document: DocumentNode;
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

/** Prepares the paths of the REST facade, one for each operation. That they fit the schema is tested, and costs a start nothing. */
export const preparedMutations = (schema: GraphQLSchema): PreparedMutation[] =>
  operations.map((operation) => prepare(schema, operation));

function prepare(schema: GraphQLSchema, { field: name, title, isAddition, rest }: Operation): PreparedMutation {
  const text = `mutation ${name}($input: ${capitalized(name)}Input!) { ${name}(input: $input) { hasChanged ${rest.selection} } }`;
  const { definitions } = parse(text, { noLocation: true });
  const [document] = Object.values(
    separateOperations({ kind: Kind.DOCUMENT, definitions: [...definitions, ...fragments] }),
  );
  const operation = document && getOperationAST(document);
  const node = operation?.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  const field = schema.getMutationType()?.getFields()[name];
  const inputObject = getNullableType(field?.args.find((each) => each.name === 'input')?.type);
  const payloadType = getNullableType(field?.type);
  if (!document || !field || !node?.selectionSet || !isInputObjectType(inputObject) || !isObjectType(payloadType)) {
    throw new Error(`the operation ${name} has no mutation field with an input and a payload`);
  }
  return {
    ...{ path: `${apiRoot}${rest.path}`, title, isAddition, example: rest.example },
    ...{ document, name, field, payloadType, inputObject: bodyOf(inputObject) },
    selection: { ...node.selectionSet, selections: node.selectionSet.selections.filter((each) => !isHeader(each)) },
  };
}

export type Spell = (value: unknown) => unknown;

/** How REST spells what a selection returns: snake_case, enum values in lower case. Made once for each document. */
export function spellingOf(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  fragments: Fragments,
): Spell {
  const spellingOfAny = (type: GraphQLOutputType, selection: SelectionSetNode | undefined): Spell => {
    const spell = spellingOfNullable(type, selection);
    return (value) => (value === null || value === undefined ? null : spell(value));
  };

  const spellingOfNullable = (any: GraphQLOutputType, selection: SelectionSetNode | undefined): Spell => {
    const type = getNullableType(any);
    if (isListType(type)) {
      const spellItem = spellingOfAny(type.ofType, selection);
      return (value) => (value as unknown[]).map((item) => spellItem(item));
    }
    if (isEnumType(type)) {
      const names = new Map(type.getValues().map(({ name }) => [name, snakeCase(name)]));
      return (value) => names.get(String(value)) ?? snakeCase(String(value));
    }
    if (!selection) return (value) => value;
    if (isAbstractType(type)) return spellingOfAbstract(type, selection);
    return isObjectType(type) ? spellingOfObject(type, selection) : (value) => value;
  };

  const spellingOfObject = (type: GraphQLObjectType, selection: SelectionSetNode): Spell => {
    const fields = selectedFields(selection, fragments).map(({ alias, name, selectionSet }) => {
      const key = (alias ?? name).value;
      const field = type.getFields()[name.value];
      // The only name that is not a field is `__typename`.
      return field
        ? { key, name: snakeCase(key), spell: spellingOfAny(field.type, selectionSet) }
        : { key, name: key, spell: (value: unknown) => snakeCase(String(value)) };
    });
    return (value) => {
      const record = value as Record<string, unknown>;
      const spelled: Record<string, unknown> = {};
      // What a directive leaves out is not there.
      for (const { key, name, spell } of fields) if (record[key] !== undefined) spelled[name] = spell(record[key]);
      return spelled;
    };
  };

  /** A value of several types says which one it has: `__typename` must be selected. */
  const spellingOfAbstract = (type: GraphQLAbstractType, selection: SelectionSetNode): Spell => {
    const named = selection.selections.find((node) => node.kind === Kind.FIELD && node.name.value === '__typename');
    if (named?.kind !== Kind.FIELD) throw new Error(`a selection of ${type.name} must have __typename`);
    const key = (named.alias ?? named.name).value;
    const spells = new Map(
      schema
        .getPossibleTypes(type)
        .map((one) => [one.name, spellingOfObject(one, selectedOn(selection, [type.name, one.name]))]),
    );
    return (value) => spells.get(String((value as Record<string, unknown>)[key]))?.(value);
  };

  /** What of a selection applies to these types. */
  const selectedOn = ({ kind, selections }: SelectionSetNode, types: readonly string[]): SelectionSetNode => {
    const conditionOf = (node: (typeof selections)[number]) => {
      if (node.kind === Kind.INLINE_FRAGMENT) return node.typeCondition;
      const fragment: FragmentDefinitionNode | undefined =
        node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : undefined;
      return fragment?.typeCondition;
    };
    return {
      kind,
      selections: selections.filter((node) => types.includes(conditionOf(node)?.name.value ?? types[0] ?? '')),
    };
  };

  return spellingOfAny(type, selection);
}

/** The failure with its fields as REST spells them: `input.subscriberIds[2]` -> `subscriber_ids[2]`. */
function inRestNames(error: GraphQLError): GraphQLError {
  const { code, errors } = error.extensions;
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(errors)) return error;
  return badInput(
    (errors as FieldError[]).map((entry) => ({ ...entry, field: snakeCase(entry.field.replace(/^input\./, '')) })),
  );
}

/** The problem document of a failure as REST spells it. */
export function restProblem(error: GraphQLError, requestId: string, publicUrl: string | undefined) {
  const problem = problemOf(inRestNames(error), requestId, publicUrl);
  return { status: problem.status, problem: snakeCased(problem) };
}

/** Reads the state in which a request expects the record that it names, if it names one. `*` is any. */
function readIfMatch(header: string | null, isNamed: boolean): { expectedState?: string; error?: FieldError } {
  if (header === null) return {};
  if (!isNamed) return { error: { field: preconditionHeader, code: 'invalid', message: expectsNothing } };
  if (header.trim() === '*') return {};
  const expectedState = /^\s*"([!#-~]{1,100})"\s*$/.exec(header)?.[1];
  if (expectedState !== undefined) return { expectedState };
  const message = 'must be one state of a preview, of at most 100 characters, in double quotes';
  return { error: { field: preconditionHeader, code: 'invalid', message } };
}

/** Throws 400 for what would be ignored: every field is in the body. */
function requireNoQuery(url: string): void {
  if (!url.includes('?')) return;
  const names = [...new Set(new URL(url).searchParams.keys())];
  if (names.length === 0) return;
  const message = 'is not read: this path has no query parameters, send every field in the body';
  throw badInput(names.map((field) => ({ field: shortened(field), code: 'unknown', message })));
}

/** Reads a body as an input. What is wrong with it as a whole says so. */
function readBody(type: GraphQLInputType, body: unknown) {
  const { value, errors } = readInput(type, body, restSpelling);
  const named = errors.map((error) =>
    error.field === '' ? { ...error, message: `the request body ${error.message}` } : error,
  );
  return { value, errors: named };
}

interface RestOptions extends Pick<Config, 'bodyLimit'> {
  schema: GraphQLSchema;
  execute: ExecuteDocument;
}

/** One route for each stored mutation: the JSON body is its input, the response is its payload in snake_case. */
export function restRoutes(mutations: PreparedMutation[], { schema, bodyLimit, execute }: RestOptions): Route[] {
  return mutations.map(({ path, document, field, inputObject, payloadType, selection, name }) => {
    const spell = spellingOf(schema, payloadType, selection, fragmentsOf(document));
    const body = new GraphQLNonNull(inputObject);
    const changed = field.extensions.changes as ((args: { input: unknown }) => unknown) | undefined;
    return {
      path,
      operation: name,
      methods: ['POST'],
      surface: 'rest',
      scopes: [scopeOf(field)],
      async handle(request, context) {
        requireNoQuery(request.url);
        const { value, errors } = readBody(body, await readJson(request, bodyLimit, context));
        const isNamed = errors.length > 0 || changed?.({ input: value }) !== undefined;
        const { expectedState, error } = readIfMatch(request.headers.get('if-match'), isNamed);
        if (error) errors.push(error);
        if (errors.length > 0) throw badInput(errors);
        const input = expectedState === undefined ? value : { ...(value as object), expectedState };
        const result = await execute(document, { input }, request, context);
        if (result.errors?.[0]) throw inRestNames(result.errors[0]);
        const payload = result.data?.[name] as { hasChanged?: boolean } | undefined;
        // An outcome that an earlier version has kept for a key does not say so.
        if (payload?.hasChanged !== undefined) context.responseHeaders[changedHeader] = String(payload.hasChanged);
        return jsonResponse(spell(payload));
      },
    };
  });
}
