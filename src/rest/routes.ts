import {
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { badInput, type FieldError, problemOf } from '../platform/failures/index.js';
import { type ExecuteDocument, readInput, restSpelling, scopeOf } from '../platform/graphql/index.js';
import { jsonResponse, type Route, readJson, snakeCase, snakeCased } from '../platform/http/index.js';
import { deleteResourceHubFile } from './deleteResourceHubFile.js';
import { recoverResourceHubFile } from './recoverResourceHubFile.js';
import { reopenGoal } from './reopenGoal.js';
import { restoreDocumentVersion } from './restoreDocumentVersion.js';
import {
  deprecationHeaders,
  type Fragments,
  fragmentsOf,
  type PreparedMutation,
  selectedFields,
} from './storedMutation.js';

/** The paths of the REST facade, in the order in which people meet them. */
export const storedMutations = [reopenGoal, deleteResourceHubFile, restoreDocumentVersion, recoverResourceHubFile];

type Spell = (value: unknown) => unknown;

/**
 * How REST spells what a selection of a type returns: names in snake_case, enum values and type names in lower case.
 * Made once for each mutation: a response has hundreds of names, and every response has the same ones.
 */
function spellingOf(type: GraphQLOutputType, selection: SelectionSetNode | undefined, fragments: Fragments): Spell {
  const spell = spellingOfNullable(getNullableType(type), selection, fragments);
  return (value) => (value === null || value === undefined ? null : spell(value));
}

function spellingOfNullable(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  fragments: Fragments,
): Spell {
  if (isListType(type)) {
    const spellItem = spellingOf(type.ofType, selection, fragments);
    return (value) => (value as unknown[]).map((item) => spellItem(item));
  }
  if (isEnumType(type)) {
    const names = new Map(type.getValues().map(({ name }) => [name, snakeCase(name)]));
    return (value) => names.get(String(value));
  }
  return isObjectType(type) && selection ? spellingOfObject(type, selection, fragments) : (value) => value;
}

function spellingOfObject(type: GraphQLObjectType, selection: SelectionSetNode, fragments: Fragments): Spell {
  const fields = selectedFields(selection, fragments).map(({ alias, name, selectionSet }) => {
    const key = (alias ?? name).value;
    const field = type.getFields()[name.value];
    // The only name that is not a field is `__typename`.
    return field
      ? { key, name: snakeCase(key), spell: spellingOf(field.type, selectionSet, fragments) }
      : { key, name: key, spell: (value: unknown) => snakeCase(String(value)) };
  });
  return (value) => {
    const record = value as Record<string, unknown>;
    const spelled: Record<string, unknown> = {};
    for (const { key, name, spell } of fields) spelled[name] = spell(record[key]);
    return spelled;
  };
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

/** Reads the state that a request expects. `*` is any. */
function readIfMatch(header: string | null): { expectedState?: string | undefined; error?: FieldError } {
  if (header === null || header.trim() === '*') return {};
  const expectedState = /^\s*"([!#-~]{1,100})"\s*$/.exec(header)?.[1];
  if (expectedState !== undefined) return { expectedState };
  const message = 'must be one state of a preview, of at most 100 characters, in double quotes';
  return { error: { field: 'If-Match', code: 'invalid', message } };
}

interface RestOptions {
  bodyLimit: number;
  execute: ExecuteDocument;
}

/** One route for each stored mutation: the JSON body is its input, the response is its payload in snake_case. */
export function restRoutes(mutations: PreparedMutation[], { bodyLimit, execute }: RestOptions): Route[] {
  return mutations.map(({ path, document, field, inputType, payloadType, selection, name, deprecated }) => {
    const spell = spellingOf(payloadType, selection, fragmentsOf([document]));
    return {
      path,
      operation: name,
      methods: ['POST'],
      surface: 'rest',
      scopes: [scopeOf(field)],
      headers: deprecationHeaders(path, deprecated),
      async handle(request, context) {
        const { value, errors } = readInput(inputType, await readJson(request, bodyLimit, context), restSpelling);
        const { expectedState, error } = readIfMatch(request.headers.get('if-match'));
        if (error) errors.push(error);
        if (errors.length > 0) throw badInput(errors);
        const variables = { input: value, ...(expectedState !== undefined && { expectedState }) };
        const result = await execute(document, variables, request, context);
        if (result.errors?.[0]) throw inRestNames(result.errors[0]);
        return jsonResponse(spell(result.data?.[name]));
      },
    };
  });
}
