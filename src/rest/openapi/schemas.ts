import {
  type FieldNode,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, selectedFields } from '../../platform/graphql/index.js';
import { snakeCase } from '../../platform/http/index.js';
import { changedHeader } from '../routes.js';

/** Rewrites descriptions of the schema for REST: names and enum values in backticks get REST's spelling. */
function restText(schema: GraphQLSchema): (description: string | null | undefined) => string {
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
const aboutField = (
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

export type JsonSchema = Record<string, unknown>;

const scalars: Record<string, JsonSchema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  SafeInt: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
};

function scalar(type: GraphQLType): JsonSchema {
  const { name } = getNamedType(type);
  const schema = scalars[name];
  if (!schema) throw new Error(`REST has no form for the GraphQL type ${name}`);
  return schema;
}

const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { oneOf: [schema, { type: 'null' }] };

/** Returns a reference to the component of that name, which the first call makes. */
type Component = (name: string, make: () => JsonSchema) => JsonSchema;

/** Collects the components of a document; `inline` ones stand where they are referred to. `text` spells descriptions. */
export function collectComponents(schema: GraphQLSchema, { inline = false } = {}) {
  const schemas: Record<string, JsonSchema> = {};
  const text = restText(schema);

  const component: Component = (name, make) => {
    if (inline) return make();
    schemas[name] ??= make();
    return { $ref: `#/components/schemas/${name}` };
  };

  function enumeration(type: GraphQLEnumType): JsonSchema {
    const values = type.getValues();
    const lines = values.map(({ name, description }) => `- \`${snakeCase(name)}\`: ${text(description)}`);
    return component(type.name, () => ({
      description: `${text(type.description)}\n\n${lines.join('\n')}`,
      // Open: a later version may add values.
      anyOf: [{ type: 'string', enum: values.map(({ name }) => snakeCase(name)) }, { type: 'string' }],
    }));
  }

  return { schemas, component, enumeration, text };
}

export type Components = ReturnType<typeof collectComponents>;

const text = { type: 'string' };

/** Headers that a caller may send with every operation. Without examples, which viewers would send every time. */
export const requestHeaders: Record<string, JsonSchema> = Object.fromEntries(
  Object.entries({
    'Idempotency-Key': {
      description:
        'Makes it safe to retry a request: the change is made only once, and every retry gets the response to the first ' +
        'request. Send a new random value with each change, and the same value with its retries. 1 to 255 printable ASCII ' +
        'characters, bare or quoted.',
      schema: { ...text, minLength: 1, maxLength: 257 },
    },
    'If-Match': {
      description:
        'The `state` of a preview of this change, in double quotes. If the record is in another state by then, the request ' +
        'fails with STATE_CHANGED and nothing is changed.',
      schema: { ...text, pattern: '^(\\*|"[!#-~]{1,100}")$' },
    },
    'X-Request-Id': {
      description:
        'Your id for the request. The response and the log include it. If it is missing or invalid, the server generates one.',
      schema: { ...text, pattern: '^[\\w.:/+=-]{1,128}$' },
    },
  }).map(([name, about]) => [name, { name, in: 'header', required: false, ...about }]),
);

export const exampleRequestId = '0198f3c2-7d5e-7c41-9a70-3f1b6a2d8e54';

/** Headers of responses. Each response refers to those that it has. */
const responseHeaders: Record<string, JsonSchema> = {
  'X-Request-Id': {
    description: 'Id of the request. The log and problems have the same one.',
    required: true,
    schema: text,
    example: exampleRequestId,
  },
  'RateLimit-Policy': {
    description:
      'The limit that counts this request, with its name: `q` points of a token, or requests of an address, in `w` seconds.',
    schema: text,
    example: '"token";q=600;w=60',
  },
  RateLimit: {
    description:
      'What is left of the limit: `r` points, or requests, in the next `t` seconds. Then its window starts again.',
    schema: text,
    example: '"token";r=599;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before you send the request again.',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
    example: 5,
  },
  Connection: {
    description: 'The server closes the connection after this response.',
    schema: text,
    example: 'close',
  },
  'WWW-Authenticate': {
    description: 'The scheme to use and, if the token is of no use, why (RFC 6750).',
    schema: text,
    example: 'Bearer error="invalid_token"',
  },
  'Idempotency-Replayed': {
    description: 'Set to `true` if this is the response to an earlier request with the same Idempotency-Key.',
    schema: { ...text, const: 'true' },
    example: 'true',
  },
  [changedHeader]: {
    description:
      'Whether the request has changed anything. If `false`, nothing of its input has had an effect: no message was posted, and nobody subscribed or notified.',
    schema: { ...text, enum: ['true', 'false'] },
    example: 'true',
  },
};

/** The headers that every response has. */
export const everyResponse = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'];

/** The description of a header. One that only the error catalogue knows gets a general description. */
export const headerNamed = (name: string): JsonSchema =>
  responseHeaders[name] ?? { description: 'Described on the page of the error.', schema: text };

/** The schema of a request body. Nullable fields may be null or absent, and other fields are not allowed. */
export function requestSchema(type: GraphQLInputObjectType, components: Components): JsonSchema {
  const { component, text } = components;
  const fields = Object.values(type.getFields());
  const required = fields.filter(isRequiredInputField).map(({ name }) => snakeCase(name));
  return component(type.name, () => ({
    type: 'object',
    description: text(type.description),
    properties: Object.fromEntries(
      fields.map((field) => [
        snakeCase(field.name),
        { ...schemaOf(field.type, components, constraintsOf(field.extensions)), ...aboutField(field, text) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }));
}

/** The constraints of an input field in addition to its type. Of a list, the most distinct items: it may repeat some. */
const constraintsOf = ({ minimum, maximum, maxLength, maxItems, bounds }: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries({ minimum, maximum, maxLength, maxItems, ...(bounds as object | undefined) }).filter(
      ([, value]) => value !== undefined,
    ),
  );

function schemaOf(type: GraphQLInputType, components: Components, constraints: JsonSchema = {}): JsonSchema {
  const inner = getNullableType(type);
  const value = () => {
    if (isListType(inner)) return { type: 'array', items: schemaOf(inner.ofType, components), ...constraints };
    if (isInputObjectType(inner)) return requestSchema(inner, components);
    return isEnumType(inner) ? components.enumeration(inner) : { ...scalar(inner), ...constraints };
  };
  return isNonNullType(type) ? value() : nullable(value());
}

const keyOf = ({ alias, name }: FieldNode) => (alias ?? name).value;

/** The schema of a response body. A fragment becomes a component, named after its type unless several select from that. */
export function responseSchemas({ component, enumeration, text }: Components, fragments: Fragments) {
  /** A nullable field of the payload may also be absent. */
  function payload(type: GraphQLObjectType, selection: SelectionSetNode): JsonSchema {
    const isRequired = (name: string) => isNonNullType(type.getFields()[name]?.type);
    return component(type.name, () => record(type, selection, isRequired));
  }

  /** An object with its selected fields. Below the payload every field is always present, null where it is empty. */
  function record(type: GraphQLObjectType, selection: SelectionSetNode, isRequired = (_name: string) => true) {
    const nodes = selectedFields(selection, fragments);
    const required = nodes.filter(({ name }) => isRequired(name.value)).map((node) => snakeCase(keyOf(node)));
    return {
      type: 'object',
      description: text(type.description),
      properties: Object.fromEntries(nodes.map((node) => property(type, node))),
      ...(required.length > 0 && { required }),
    };
  }

  /** An alias is a name that only REST has. */
  function property(type: GraphQLObjectType, node: FieldNode): [string, JsonSchema] {
    const { name, selectionSet } = node;
    const [key, field] = [keyOf(node), type.getFields()[name.value]];
    if (!field) return [key, { type: 'string', const: snakeCase(type.name), description: 'The type of the record.' }];
    return [snakeCase(key), { ...valueSchema(field.type, selectionSet), ...aboutField(field, text) }];
  }

  function valueSchema(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
    const inner = getNullableType(type);
    const value = () => {
      if (isListType(inner)) return { type: 'array', items: valueSchema(inner.ofType, selection) };
      if (isEnumType(inner)) return enumeration(inner);
      return isObjectType(inner) && selection ? selected(inner, selection) : scalar(inner);
    };
    return isNonNullType(type) ? value() : nullable(value());
  }

  function selected(type: GraphQLObjectType, selection: SelectionSetNode): JsonSchema {
    const [only, ...others] = selection.selections;
    if (only?.kind !== Kind.FRAGMENT_SPREAD || others.length > 0) return record(type, selection);
    return component(componentName(type, only.name.value), () => record(type, selection));
  }

  function componentName(type: GraphQLObjectType, fragment: string): string {
    const ofType = [...fragments.values()].filter(({ typeCondition }) => typeCondition.name.value === type.name);
    return ofType.length === 1 ? type.name : fragment.replace(/Fields$/, '');
  }

  return payload;
}
