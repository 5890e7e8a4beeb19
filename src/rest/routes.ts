import type { GraphQLSchema } from 'graphql';
import { badInput } from '../errors/failures.js';
import { inRestNames } from '../errors/problem.js';
import type { ExecuteDocument } from '../graphql/graphql.js';
import { readInput } from '../http/input/readInput.js';
import { readJson } from '../http/input/readJson.js';
import { restSpelling } from '../http/input/spelling.js';
import { jsonResponse } from '../http/response.js';
import type { Route } from '../http/route.js';
import { deprecationHeaders } from './deprecation.js';
import type { PreparedMutation } from './prepare.js';
import { restResponse } from './restResponse.js';

interface RestOptions {
  schema: GraphQLSchema;
  bodyLimit: number;
  execute: ExecuteDocument;
}

/** One route for each stored mutation: the JSON body is its input, the response is its payload in snake_case. */
export function restRoutes(mutations: PreparedMutation[], { schema, bodyLimit, execute }: RestOptions): Route[] {
  const scope = schema.getMutationType()?.extensions.scope === 'write' ? ({ scope: 'write' } as const) : {};
  return mutations.map(({ path, document, inputType, payloadType, name, deprecated }) => ({
    path,
    operation: name,
    methods: ['POST'],
    ...scope,
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
