import { STATUS_CODES } from 'node:http';
import { type GraphQLObjectType, type GraphQLSchema, getNamedType, Kind, type SelectionSetNode } from 'graphql';
import { catalogue, errorCodes, exampleOf } from '../../errors/catalogue.js';
import { envelope, eventData, sentEvents } from '../../events/event.js';
import { type ErrorCode, headersOf, type MemberSchema } from '../../platform/failures/index.js';
import { fragmentsOf } from '../../platform/graphql/index.js';
import { contentRoute, type Route, snakeCase } from '../../platform/http/index.js';
import { version } from '../../version.js';
import { webhookHeaders } from '../../webhooks/index.js';
import { apiRoot, changedHeader, type PreparedMutation, restProblem } from '../routes.js';
import recordedExamples from './recordedExamples.json' with { type: 'json' };
import {
  type Components,
  collectComponents,
  everyResponse,
  exampleRequestId,
  headerNamed,
  type JsonSchema,
  requestHeaders,
  requestSchema,
  responseSchemas,
  sentence,
} from './schemas.js';

const referenceTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** `VERSION_CONFLICT` -> `VersionConflictProblem`. */
const problemName = (code: ErrorCode) =>
  `${code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())}Problem`;

/** The codes that an operation may return: those of every operation, and those that it declares. */
const codesOf = (declared: readonly ErrorCode[]): ErrorCode[] =>
  errorCodes.filter((code) => {
    const { occurs } = catalogue[code];
    return occurs === undefined || (occurs === 'declared' && declared.includes(code));
  });

/** What every problem is. Those of the codes refine it, so a problem with a new code still fits it. */
const problem: JsonSchema = {
  type: 'object',
  description: 'A failure (RFC 9457). Handle a `code` that you do not know by its status: new ones may be added.',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Address of the page that explains the code.' },
    title: { type: 'string', description: 'What the code means, in a few words. The same for every occurrence.' },
    status: { type: 'integer', format: 'int32', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What went wrong this time, for people.' },
    code: { type: 'string', description: 'What went wrong, for programs.' },
    request_id: { type: 'string', description: 'Id of the request, as in the X-Request-Id header.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
};

export function problemSchema(code: ErrorCode): JsonSchema {
  const { status, meaning, remedy, members = {}, optionalMembers = {} } = catalogue[code];
  const required = Object.keys(inRest(members));
  return {
    allOf: [referenceTo('schemas', 'Problem')],
    description: `${meaning} ${remedy}`,
    properties: { status: { const: status }, code: { const: code }, ...inRest(members), ...inRest(optionalMembers) },
    ...(required.length > 0 && { required }),
  };
}

const inRest = (members: Readonly<Record<string, MemberSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [snakeCase(name), member(schema)]));

/** Enums are open, as those of records: a later version may add values. */
function member({ items, properties, ofGraphql, enum: values, type, ...schema }: MemberSchema): JsonSchema {
  const ofRest = values?.filter((value) => !ofGraphql?.values.includes(value));
  return {
    ...(ofRest ? { anyOf: [{ type, enum: ofRest }, { type }] } : { type }),
    ...(type === 'integer' && { format: 'int32' }),
    ...schema,
    ...(items && { items: member(items) }),
    ...(properties && { properties: inRest(properties), required: Object.keys(inRest(properties)) }),
  };
}

/** What operations refer to, each component once. */
type References = ReturnType<typeof collectReferences>['references'];

/** `The goal is archived` of 409 -> `Conflict`; with a code of one operation, also that. */
function responseName(status: number, codes: readonly ErrorCode[]): string {
  const own = codes
    .filter((code) => catalogue[code].occurs === 'declared')
    .map((code) => problemName(code).replace(/Problem$/, ''));
  return [(STATUS_CODES[status] ?? String(status)).replace(/\W/g, ''), ...own].join('Or');
}

/** One response for each status: its problems, with their headers. Operations with the same codes share it. */
function problemResponses(codes: readonly ErrorCode[], references: References) {
  const { schema, example, header, response, common } = references;
  const statuses = [...new Set(codes.map((code) => catalogue[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const same = codes.filter((code) => catalogue[code].status === status);
      const make = (): JsonSchema => {
        const headers = same.flatMap((code) => Object.keys(headersOf(exampleOf(code))));
        const [first, ...others] = same.map(schema);
        return {
          description: same.map((code) => `${catalogue[code].title} (\`${code}\`).`).join(' '),
          headers: { ...common, ...Object.fromEntries(headers.map((name) => [name, header(name)])) },
          content: {
            'application/problem+json': {
              schema: others.length === 0 ? first : { oneOf: same.map(schema) },
              examples: Object.fromEntries(same.map((code) => [code, example(code)])),
            },
          },
        };
      };
      return [String(status), response(responseName(status, same), make)];
    }),
  );
}

const webhookParameters: Record<string, JsonSchema> = Object.fromEntries(
  Object.entries(webhookHeaders).map(([name, { description, example }]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' }, example },
  ]),
);

/** `goal.reopened` as the name of an operation: `onGoalReopened`. */
const operationId = (type: string) =>
  `on${type.replace(/(^|[._])(\w)/g, (_, _dot, letter: string) => letter.toUpperCase())}`;

/** What an endpoint of a webhook responds with. */
const webhookResponses: Record<string, JsonSchema> = {
  EventArrived: { description: 'The event has arrived, and is not sent again.' },
  EndpointGone: { description: 'The endpoint is gone. The webhook is disabled.' },
  EventRetried: {
    description: 'The event is sent again later. `Retry-After` of 429 and 503 is obeyed, up to an hour.',
  },
};

/** The requests that go out to webhooks, by the type of their event. */
const webhooks: Record<string, JsonSchema> = Object.fromEntries(
  sentEvents.map(({ type, description, schema }) => [
    type,
    {
      post: {
        operationId: operationId(type),
        summary: type,
        description,
        tags: ['Webhooks'],
        security: [],
        parameters: Object.keys(webhookParameters).map((name) => referenceTo('parameters', name)),
        requestBody: {
          required: true,
          content: { 'application/json': { schema } },
        },
        responses: {
          '2XX': referenceTo('responses', 'EventArrived'),
          '410': referenceTo('responses', 'EndpointGone'),
          default: referenceTo('responses', 'EventRetried'),
        },
      },
    },
  ]),
);

/** Collects the headers and the examples of problems that operations refer to. */
function collectReferences({ component }: Pick<Components, 'component'>, publicUrl: string) {
  const headers: Record<string, JsonSchema> = {};
  const problems: Record<string, JsonSchema> = {};
  const responses: Record<string, JsonSchema> = { ...webhookResponses };
  const header = (name: string) => {
    headers[name] ??= headerNamed(name);
    return referenceTo('headers', name);
  };
  const references = {
    schema: (code: ErrorCode) => component(problemName(code), () => problemSchema(code)),
    example: (code: ErrorCode) => {
      problems[code] ??= { value: restProblem(exampleOf(code), exampleRequestId, publicUrl).problem };
      return referenceTo('examples', code);
    },
    header,
    response: (name: string, make: () => JsonSchema) => {
      responses[name] ??= make();
      return referenceTo('responses', name);
    },
    common: Object.fromEntries(everyResponse.map((name) => [name, header(name)])),
  };
  return { headers, problems, responses, references };
}

const listed = ({ title, isAddition }: PreparedMutation) =>
  `${title.toLowerCase()}${isAddition ? ' (not part of the documented API)' : ''}`;

/** The description of the API, which names its operations by their titles. */
const descriptionOf = (
  prepared: readonly PreparedMutation[],
) => `The external HTTP API: ${prepared.map(listed).join(', ')}.

Every operation is a POST with a JSON body and needs a write-enabled API token: \`Authorization: Bearer <API_TOKEN>\`.
Every failure is a problem (RFC 9457) with a \`code\` for programs. Its \`type\` is the address of a page that explains it.

Retry 429 and 503 after the seconds in \`Retry-After\`, 409 \`IDEMPOTENCY_KEY_IN_USE\` too, and 408, 500 or a lost response with the
same \`Idempotency-Key\`. Every other failure needs another request.

Ids are opaque strings, and unique among records of one kind. Find them with GraphQL (\`POST /graphql\`) and the same token: \`goals\`,
\`resourceHubNodes\` and \`versions\`. Times are ISO 8601 in UTC. Ignore fields that you do not know, and take values of an enum that
you do not know as "other": new ones may be added. In requests, fields that the server does not know are refused: a misspelled
optional field would otherwise change something else than you meant.`;

const webhooksTag = {
  name: 'Webhooks',
  description: 'What is sent to the webhooks of a company.',
  externalDocs: { url: 'https://www.standardwebhooks.com', description: 'How requests are signed.' },
};

/** Recorded responses of the demo workspace, by operation. */
const examples: Record<string, { request: unknown; response: unknown }> = recordedExamples;

/** The OpenAPI document of the stored mutations, derived from them, the schema and the error catalogue. */
export function openApiDocument(schema: GraphQLSchema, prepared: readonly PreparedMutation[], publicUrl = '') {
  const components = collectComponents(schema);
  const { schemas, text } = components;
  const payload = responseSchemas(components, fragmentsOf(...prepared.map(({ document }) => document)));
  const { headers, problems, responses, references } = collectReferences(components, publicUrl);
  const { common, header } = references;
  const tags = new Map<string, JsonSchema>();

  function operation({ name, isAddition, field, inputObject, payloadType, selection }: PreparedMutation) {
    const { request, response } = examples[name] ?? {};
    const { about, errors = [] } = field.extensions as { about?: string; errors?: ErrorCode[] };
    return {
      operationId: name,
      summary: sentence(name),
      // Its responses say better how it may fail.
      description: text(about),
      ...(isAddition && { 'x-addition': true }),
      ...(field.deprecationReason != null && { deprecated: true }),
      tags: [tagOf(payloadType, selection)],
      parameters: Object.keys(requestHeaders).map((each) => referenceTo('parameters', each)),
      requestBody: {
        description: text(inputObject.description),
        required: true,
        content: { 'application/json': { schema: requestSchema(inputObject, components), example: request } },
      },
      responses: {
        '200': {
          description: text(payloadType.description),
          headers: {
            ...common,
            [changedHeader]: header(changedHeader),
            'Idempotency-Replayed': header('Idempotency-Replayed'),
          },
          content: { 'application/json': { schema: payload(payloadType, selection), example: response } },
        },
        ...problemResponses(codesOf(errors), references),
      },
    };
  }

  /** Groups operations by the type that comes first in their responses. */
  function tagOf(payload: GraphQLObjectType, { selections: [first] }: SelectionSetNode): string {
    const field = first?.kind === Kind.FIELD ? payload.getFields()[first.name.value] : undefined;
    const type = field ? getNamedType(field.type) : payload;
    const tag = sentence(type.name);
    tags.set(tag, { name: tag, description: text(type.description) });
    return tag;
  }

  const paths = Object.fromEntries(
    prepared.map((each) => [each.path.slice(apiRoot.length), { post: operation(each) }]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Goalpost',
      version,
      description: descriptionOf(prepared),
      contact: { name: 'The operator of this server' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    // Tools want an absolute address, which only the operator knows.
    ...(publicUrl && {
      externalDocs: { url: `${publicUrl}/docs`, description: 'The reference, with examples to try.' },
    }),
    servers: [{ url: `${publicUrl}${apiRoot}`, description: 'This server.' }],
    security: [{ token: [] }],
    tags: [...tags.values(), webhooksTag],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A write-enabled API token: `gp_` followed by 43 characters.',
        },
      },
      parameters: { ...requestHeaders, ...webhookParameters },
      headers,
      responses,
      schemas: { ...schemas, Problem: problem, Event: envelope, ...eventData },
      examples: problems,
    },
  };
}

export const openApiPath = `${apiRoot}/openapi.json`;

/** Serves the OpenAPI document without a token: with the paths that it describes, and where tools look for it. */
export function openApiRoutes(openApi: () => object): Route[] {
  // A value a line, for whoever compares it with the one before.
  const json = () => `${JSON.stringify(openApi(), null, 2)}\n`;
  return [contentRoute(openApiPath, json), contentRoute('/openapi.json', json)];
}
