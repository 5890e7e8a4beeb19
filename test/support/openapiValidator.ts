import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { errorCodes } from '../../src/errors/catalogue.js';
import { openApiDocument, problemSchema } from '../../src/rest/openapi/openApiDocument.js';
import { apiRoot, preparedMutations } from '../../src/rest/routes.js';
import { schema } from '../../src/schema.js';

import type { Json } from './world.js';

export const openApi: Json = openApiDocument(schema, preparedMutations(schema));

/** A compiled schema of the document. Strict: rejects whatever the document does not describe. */
const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  keywords: ['example'],
});
addFormats.default(ajv);
// What others refine, or refines others, stays open.
const isOpen = (name: string) => /^(Problem|Event|\w+EventData)$/.test(name);
ajv.addSchema({
  $id: 'openapi',
  $defs: Object.fromEntries(
    Object.entries<Json>(openApi.components.schemas).map(([name, schema]) => [
      name,
      isOpen(name) ? local(schema) : closed(local(schema)),
    ]),
  ),
});

/** Points the references of the document to the validator's schemas. */
function local(part: Json): Json {
  return JSON.parse(JSON.stringify(part).replaceAll('"#/components/schemas/', '"openapi#/$defs/'));
}

/**
 * Forbids unknown properties in every object schema, so that an undescribed field is found, and values of an open enum
 * that it does not list.
 */
function closed(part: Json): Json {
  return JSON.parse(JSON.stringify(part), (_key, value) => {
    if (Array.isArray(value?.anyOf))
      return value.anyOf.length === 2 && value.anyOf[0].enum ? { ...value, anyOf: [value.anyOf[0]] } : value;
    if (value?.allOf) return { unevaluatedProperties: false, ...value };
    if (value?.type !== 'object' || !value.properties) return value;
    return { additionalProperties: false, ...value };
  });
}

const compiled = new Map<string, ValidateFunction>();

function compile(key: string, make: () => Json): ValidateFunction {
  const known = compiled.get(key) ?? ajv.compile(make());
  compiled.set(key, known);
  return known;
}

/** Validates a value against a schema of the document. Returns one line for each error. */
export function errorsOf(part: Json, value: unknown): string[] {
  const check = compile(JSON.stringify(part), () => closed(local(part)));
  if (check(value)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

export const resolve = ({ $ref, ...part }: Json): Json =>
  $ref
    ? $ref
        .slice(2)
        .split('/')
        .reduce((at: Json, key: string) => at[key], openApi)
    : part;

interface Exchange {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: Json;
}

/** Fails if the OpenAPI document does not describe the answer. Skips GraphQL, which describes itself. */
export function requireDescribed(exchange: Exchange): void {
  const { method, path, status, body } = exchange;
  const { pathname } = new URL(path, 'http://server');
  if (/^\/graphql\/?$/.test(pathname)) return;
  const operation = openApi.paths[pathname.slice(apiRoot.length)]?.[method.toLowerCase()];
  const described = operation && pathname.startsWith(apiRoot);
  const wrong = described ? wrongForOperation(operation, exchange) : wrongElsewhere(exchange);
  if (wrong.length === 0) return;
  throw new Error(
    `The OpenAPI document does not describe this answer to ${method} ${path}: ${status} ${JSON.stringify(body)}\n${wrong.join('\n')}`,
  );
}

/** The protocol of agents has errors of its own, for messages that are none of it. */
const isRpcError = ({ path, body }: Exchange) => path === '/mcp' && body.jsonrpc === '2.0' && body.error?.code < 0;

const typeOf = (headers: Headers) => headers.get('content-type')?.split(';')[0] ?? 'none';

function wrongForOperation(operation: Json, { status, headers, body }: Exchange): string[] {
  const named = operation.responses[String(status)];
  if (!named) return [`no status ${status}`];
  const response = resolve(named);
  const content = response.content[typeOf(headers)];
  if (!content) return [`no type ${typeOf(headers)}`];
  return [...wrongHeaders(response.headers, headers), ...errorsOf(content.schema, body)];
}

function wrongHeaders(described: Record<string, Json>, headers: Headers): string[] {
  return Object.entries(described).flatMap(([name, header]) => {
    const { required, schema: part } = resolve(header);
    const given = headers.get(name);
    if (given === null) return required ? [`the header ${name} is missing`] : [];
    return errorsOf(part, part.type === 'integer' ? Number(given) : given).map((error) => `${name}: ${error}`);
  });
}

/** A path that is not in the document may only answer with a problem of the catalogue. */
function wrongElsewhere(exchange: Exchange): string[] {
  const { status, headers, body } = exchange;
  if (status < 400 || isRpcError(exchange)) return [];
  if (typeOf(headers) !== 'application/problem+json') return [`no problem, but ${typeOf(headers)}`];
  const code = errorCodes.find((known) => known === body.code);
  if (!code) return [`no code ${body.code}`];
  return errorsOf(problemSchema(code), body);
}
