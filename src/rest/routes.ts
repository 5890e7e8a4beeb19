import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql';
import { badInput } from '../platform/failures/index.js';
import { type ExecuteDocument, scopeOf } from '../platform/graphql/index.js';
import {
  inRestNames,
  jsonResponse,
  type Route,
  readInput,
  readJson,
  restSpelling,
  snakeCase,
} from '../platform/http/index.js';
import { deleteResourceHubFile } from './deleteResourceHubFile.js';
import { recoverResourceHubFile } from './recoverResourceHubFile.js';
import { reopenGoal } from './reopenGoal.js';
import { restoreDocumentVersion } from './restoreDocumentVersion.js';
import { deprecationHeaders, type PreparedMutation } from './storedMutation.js';

/** The paths of the REST facade, in the order in which people meet them. */
export const storedMutations = [reopenGoal, deleteResourceHubFile, restoreDocumentVersion, recoverResourceHubFile];

type Spell = (value: unknown) => unknown;

/** Caches how each type is spelled: a response has hundreds of names, and every response has the same ones. */
const known = new WeakMap<GraphQLOutputType, Spell>();

/** A GraphQL result as REST spells it: names in snake_case, enum values and type names in lower case. */
const restResponse = (type: GraphQLOutputType, value: unknown): unknown => spellingOf(type)(value);

function spellingOf(type: GraphQLOutputType): Spell {
  const existing = known.get(type);
  if (existing) return existing;
  const spell = spellingOfNullable(getNullableType(type));
  const spellOrNull: Spell = (value) => (value === null || value === undefined ? null : spell(value));
  known.set(type, spellOrNull);
  return spellOrNull;
}

function spellingOfNullable(type: GraphQLOutputType): Spell {
  if (isListType(type)) {
    const spellItem = spellingOf(type.ofType);
    return (value) => (value as unknown[]).map((item) => spellItem(item));
  }
  if (isEnumType(type)) {
    const names = new Map(type.getValues().map(({ name }) => [name, snakeCase(name)]));
    return (value) => names.get(String(value));
  }
  return isObjectType(type) ? spellingOfObject(type) : (value) => value;
}

/** Looks up a field when it first occurs, because types contain each other. */
function spellingOfObject(type: GraphQLObjectType): Spell {
  const fields = new Map<string, { name: string; spell: Spell }>();
  const look = (name: string) => {
    const field = type.getFields()[name];
    // The only name that is not a field is `__typename`.
    const found = field
      ? { name: snakeCase(name), spell: spellingOf(field.type) }
      : { name, spell: (value: unknown) => snakeCase(String(value)) };
    fields.set(name, found);
    return found;
  };
  return (value) => {
    const record = value as Record<string, unknown>;
    const spelled: Record<string, unknown> = {};
    for (const key in record) {
      const { name, spell } = fields.get(key) ?? look(key);
      spelled[name] = spell(record[key]);
    }
    return spelled;
  };
}

interface RestOptions {
  bodyLimit: number;
  execute: ExecuteDocument;
}

/** One route for each stored mutation: the JSON body is its input, the response is its payload in snake_case. */
export function restRoutes(mutations: PreparedMutation[], { bodyLimit, execute }: RestOptions): Route[] {
  return mutations.map(({ path, document, field, inputType, payloadType, name, deprecated }) => ({
    path,
    operation: name,
    methods: ['POST'],
    surface: 'rest',
    scopes: [scopeOf(field)],
    headers: deprecationHeaders(path, deprecated),
    async handle(request, context) {
      const { value, errors } = readInput(inputType, await readJson(request, bodyLimit, context), restSpelling);
      if (errors.length > 0) throw badInput(errors);
      const result = await execute(document, { input: value }, request, context);
      if (result.errors?.[0]) throw inRestNames(result.errors[0]);
      return jsonResponse(restResponse(payloadType, result.data?.[name]));
    },
  }));
}
