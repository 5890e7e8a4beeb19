import { STATUS_CODES } from 'node:http';
import { catalogue, errorCodes, exampleOf } from '../../errors/catalogue.js';
import { sentEvents } from '../../events/eventSchemas.js';
import { type ErrorCode, headersOf, type MemberSchema } from '../../platform/failures/index.js';
import { snakeCase } from '../../platform/http/index.js';
import { webhookHeaders } from '../../platform/outbox/index.js';
import { product } from '../../version.js';
import { restProblem } from '../routes.js';
import type { JsonSchema } from './schemas.js';

/** `VERSION_CONFLICT` -> `VersionConflictProblem`. */
export const problemName = (code: ErrorCode) =>
  `${code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())}Problem`;

/** The codes that an operation may return: those of every operation, and those that it declares. */
export const codesOf = (declared: readonly string[]): ErrorCode[] =>
  errorCodes.filter((code) => {
    const { occurs } = catalogue[code];
    return occurs === undefined || (occurs === 'declared' && declared.includes(code));
  });

/** What every problem is. Those of the codes refine it, so a problem with a new code still fits it. */
export const problem: JsonSchema = {
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

/** The schema of the problem of one code. */
export function problemSchema(code: ErrorCode): JsonSchema {
  const { status, meaning, remedy, members = {}, optionalMembers = {} } = catalogue[code];
  const required = Object.keys(inRest(members));
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
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

/** The problem of one code as a caller would get it. */
export const problemExample = (code: ErrorCode, publicUrl: string) =>
  restProblem(exampleOf(code), '0198f3c2-7d5e-7c41-9a70-3f1b6a2d8e54', publicUrl).problem;

/** What operations refer to, each component once. */
export interface References {
  schema: (code: ErrorCode) => JsonSchema;
  example: (code: ErrorCode) => JsonSchema;
  header: (name: string) => JsonSchema;
  response: (name: string, make: () => JsonSchema) => JsonSchema;
  /** Headers that every response has. */
  common: Record<string, JsonSchema>;
}

/** `The goal is archived` of 409 -> `Conflict`; with a code of one operation, also that. */
function responseName(status: number, codes: readonly ErrorCode[]): string {
  const own = codes
    .filter((code) => catalogue[code].occurs === 'declared')
    .map((code) => problemName(code).replace(/Problem$/, ''));
  return [(STATUS_CODES[status] ?? String(status)).replace(/\W/g, ''), ...own].join('Or');
}

/** One response for each status: its problems, with their headers. Operations with the same codes share it. */
export function problemResponses(codes: readonly ErrorCode[], references: References) {
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

export const webhookParameters: Record<string, JsonSchema> = Object.fromEntries(
  Object.entries(webhookHeaders(product)).map(([name, { description, example }]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' }, example },
  ]),
);

/** `goal.reopened` as the name of an operation: `onGoalReopened`. */
const operationId = (type: string) =>
  `on${type.replace(/(^|[._])(\w)/g, (_, _dot, letter: string) => letter.toUpperCase())}`;

/** What an endpoint of a webhook responds with. */
export const webhookResponses: Record<string, JsonSchema> = {
  EventArrived: { description: 'The event has arrived, and is not sent again.' },
  EndpointGone: { description: 'The endpoint is gone. The webhook is disabled.' },
  EventRetried: {
    description: 'The event is sent again later. `Retry-After` of 429 and 503 is obeyed, up to an hour.',
  },
};

const responseReference = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The requests that go out to webhooks, by the type of their event. */
export const webhooks: Record<string, JsonSchema> = Object.fromEntries(
  sentEvents.map(({ type, description, schema }) => [
    type,
    {
      post: {
        operationId: operationId(type),
        summary: type,
        description,
        tags: ['Webhooks'],
        security: [],
        parameters: Object.keys(webhookParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema } },
        },
        responses: {
          '2XX': responseReference('EventArrived'),
          '410': responseReference('EndpointGone'),
          default: responseReference('EventRetried'),
        },
      },
    },
  ]),
);
