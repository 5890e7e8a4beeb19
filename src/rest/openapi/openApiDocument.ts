import { type GraphQLObjectType, type GraphQLSchema, getNamedType, Kind, type SelectionSetNode } from 'graphql';
import { envelope, eventData } from '../../events/eventSchemas.js';
import type { ErrorCode } from '../../platform/failures/index.js';
import { contentRoute, type Route } from '../../platform/http/index.js';
import { version } from '../../version.js';
import { apiRoot, changedHeader, fragmentsOf, type PreparedMutation } from '../routes.js';
import {
  codesOf,
  problem,
  problemExample,
  problemName,
  problemResponses,
  problemSchema,
  type References,
  webhookParameters,
  webhookResponses,
  webhooks,
} from './problems.js';
import recordedExamples from './recordedExamples.json' with { type: 'json' };
import {
  type Components,
  collectComponents,
  everyResponse,
  headerNamed,
  type JsonSchema,
  requestHeaders,
  requestSchema,
  responseSchemas,
  sentence,
  withoutErrors,
} from './schemas.js';

const referenceTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** Collects the headers and the examples of problems that operations refer to. */
function collectReferences({ component }: Pick<Components, 'component'>, publicUrl: string) {
  const headers: Record<string, JsonSchema> = {};
  const problems: Record<string, JsonSchema> = {};
  const responses: Record<string, JsonSchema> = { ...webhookResponses };
  const header = (name: string) => {
    headers[name] ??= headerNamed(name);
    return referenceTo('headers', name);
  };
  const references: References = {
    schema: (code: ErrorCode) => component(problemName(code), () => problemSchema(code)),
    example: (code: ErrorCode) => {
      problems[code] ??= { value: problemExample(code, publicUrl) };
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
  `${title.toLowerCase()}${isAddition ? ' (other servers of this API do not have it)' : ''}`;

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
  const payload = responseSchemas(components, fragmentsOf(prepared.map(({ document }) => document)));
  const { headers, problems, responses, references } = collectReferences(components, publicUrl);
  const { common, header } = references;
  const tags = new Map<string, JsonSchema>();

  function operation({ name, isAddition, deprecated, field, inputObject, payloadType, selection }: PreparedMutation) {
    const { request, response } = examples[name] ?? {};
    const declared = (field.extensions.errors ?? []) as string[];
    return {
      operationId: name,
      summary: sentence(name),
      // Its responses say better how it may fail.
      description: withoutErrors(text(field.description)),
      ...(isAddition && { 'x-addition': true }),
      ...((deprecated || field.deprecationReason != null) && { deprecated: true }),
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
            ...(deprecated && { Deprecation: header('Deprecation'), Sunset: header('Sunset') }),
          },
          content: { 'application/json': { schema: payload(payloadType, selection), example: response } },
        },
        ...problemResponses(codesOf(declared), references),
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
      // Without an identifier: viewers would link it to a page of SPDX that does not exist.
      license: { name: 'Proprietary' },
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
  const json = () => JSON.stringify(openApi());
  // YAML 1.1, which many tools still use, reads a string such as 2026-03-31 as a date unless it is quoted.
  const options = { aliasDuplicateObjects: false, compat: 'yaml-1.1' };
  // CommonJS that is loaded when it is needed has nothing but its default once it is bundled.
  const yaml = async () => (await import('yaml')).default.stringify(openApi(), options);
  return [contentRoute(openApiPath, json), contentRoute('/openapi.json', json), contentRoute('/openapi.yaml', yaml)];
}
