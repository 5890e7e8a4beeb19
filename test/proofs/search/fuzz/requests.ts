import fc from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import { type Known, randomRequest } from '../../../support/randomQueries.js';
import type { Json } from '../../../support/world.js';
import { carried, type Fuzzed } from './send.js';
import { fitting, oddJson, oddText, spoiled } from './texts.js';

interface Tokens {
  write: string;
  readOnly: string;
}

const mostly = <Value>(good: Value, ...odd: Value[]) =>
  fc.oneof({ weight: 25, arbitrary: fc.constant(good) }, fc.constantFrom(...odd));

const tokenHeader = ({ write, readOnly }: Tokens) =>
  mostly<string | null>(
    `Bearer ${write}`,
    `Bearer ${readOnly}`,
    null,
    'Bearer',
    'Basic eDp5',
    `bearer  ${write}`,
    `Bearer ${write}x`,
    'Bearer gp_\xff',
    `Bearer ${'a'.repeat(9000)}`,
  );

const contentType = mostly<string | null>(
  'application/json',
  null,
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json;charset="latin1"',
  'APPLICATION/JSON',
  'text/plain',
  'application/graphql',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json, text/plain',
  'json',
  '/',
  ';;;',
);

const accept = mostly<string | null>(
  '*/*',
  null,
  'application/json',
  'application/graphql-response+json',
  'text/html',
  'application/*;q=0',
  'text/event-stream',
  'multipart/mixed',
  ';q',
  '*',
  'application/problem+json',
);

const headersFor = (tokens: Tokens) =>
  fc.record({
    Authorization: tokenHeader(tokens),
    'Content-Type': contentType,
    Accept: accept,
    'Idempotency-Key': mostly<string | null>(null, 'key-1', 'key-2', '', '"', 'x'.repeat(300), '\xff', 'a,b'),
    'X-Request-Id': mostly<string | null>(null, 'mine', '\xff', 'x'.repeat(500), 'a b'),
    'Content-Encoding': mostly<string | null>(null, 'gzip', 'identity', 'br'),
    Origin: mostly<string | null>(null, 'null', 'https://evil.example', '\xff'),
    traceparent: mostly<string | null>(null, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'ff-x', '\xff'),
    Range: mostly<string | null>(null, 'bytes=0-1', 'bytes=9-1'),
    'If-None-Match': mostly<string | null>(null, '*', 'W/"x"', '"'),
  });

const method = mostly('POST', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND');

const spelledOddly = (path: string) =>
  mostly(
    path,
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    path.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
    `${path}?a=1&a[]=2&__proto__=3`,
    `${path}?%zz`,
    `/.${path}`,
    `/x/..${path}`,
    `${path}%00`,
    `${path};v=1`,
    `${path}\xff`,
  );

/** Requests for every path of the OpenAPI document, with bodies that its schemas describe, or almost. */
export function restRequests(openApi: Json, known: Known, tokens: Tokens): fc.Arbitrary<Fuzzed> {
  const root: string = openApi.servers[0].url;
  const resolve = (part: Json): Json => (part?.$ref ? openApi.components.schemas[part.$ref.split('/').at(-1)] : part);
  const ids = known.ids.map((id) => JSON.stringify(id));
  const forPath = Object.entries<Json>(openApi.paths).map(([path, { post }]) => {
    const schema = resolve(post?.requestBody?.content['application/json'].schema) ?? { type: 'object', properties: {} };
    return fc
      .tuple(method, spelledOddly(`${root}${path}`), headersFor(tokens), spoiled(fitting(schema, ids)))
      .map(([verb, target, headers, body]) => ({ method: verb, target, headers: carried(headers), body }));
  });
  return fc.oneof(...forPath);
}

/** GraphQL requests from the schema, over GET and POST, sometimes spoiled. */
export function graphqlRequests(schema: GraphQLSchema, known: Known, tokens: Tokens): fc.Arbitrary<Fuzzed> {
  const valid = fc
    .tuple(fc.gen(), fc.nat({ max: 4 }))
    .map(([draw, dice]) => randomRequest(schema, known, dice === 4 ? 'mutation' : 'query', draw));
  const document = fc.tuple(valid, fc.nat(9), fc.nat(2000), oddText).map(([request, dice, at, text]) => {
    if (dice > 2) return request;
    const place = at % (request.query.length + 1);
    return {
      ...request,
      query: `${request.query.slice(0, place)}${text}${request.query.slice(place + (dice === 1 ? 1 : 0))}`,
    };
  });
  const parts = fc.tuple(
    document,
    mostly<string | undefined>(undefined, 'null', '"x"', '""', '{}', '1'),
    fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, oddJson),
    fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, oddJson),
  );
  const body = parts.map(([{ query, variables }, operationName, odd, extensions]) => {
    const members = {
      query: JSON.stringify(query),
      variables: odd ?? JSON.stringify(variables),
      operationName,
      extensions,
    };
    return `{${Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [`"${name}":${value}`]))}}`;
  });
  const batched = fc.oneof(
    { weight: 9, arbitrary: body },
    body.map((one) => `[${one},${one}]`),
  );
  const post = fc
    .tuple(headersFor(tokens), spoiled(batched), spelledOddly('/graphql'))
    .map(([headers, body, target]) => ({ method: 'POST', target, headers: carried(headers), body }));
  const get = fc.tuple(headersFor(tokens), document).map(([headers, { query, variables }]) => {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    const target = `/graphql?${search}`;
    return { method: 'GET', target, headers: carried({ ...headers, 'Content-Type': null }) };
  });
  return fc.oneof({ weight: 5, arbitrary: post }, get);
}
