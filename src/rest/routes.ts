import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { badInput } from '../errors/failures.js';
import { inRestNames } from '../errors/problem.js';
import { readInput, restSpelling } from '../http/input/readInput.js';
import { readJson } from '../http/input/readJson.js';
import type { RequestContext, Route } from '../http/route.js';
import { prepare } from './prepare.js';
import { project } from './projection.js';
import type { StoredMutation } from './storedMutation.js';

/** Runs a validated document through the same pipeline as any other GraphQL request. */
export type Run = (
  document: DocumentNode,
  variables: Record<string, unknown>,
  request: Request,
  context: RequestContext,
) => Promise<ExecutionResult>;

interface Options {
  schema: GraphQLSchema;
  bodyLimit: number;
  run: Run;
}

/** One route for each stored mutation: the JSON body is its input, the payload is the answer, in snake_case. */
export function restRoutes(mutations: StoredMutation[], { schema, bodyLimit, run }: Options): Route[] {
  return mutations.map((mutation) => {
    const { document, inputType, payloadType, name } = prepare(schema, mutation);
    return {
      path: mutation.path,
      methods: ['POST'],
      ...(schema.getMutationType()?.extensions.scope === 'write' && { scope: 'write' as const }),
      async handle(request, context) {
        const { value, errors } = readInput(inputType, await readJson(request, bodyLimit), restSpelling);
        if (errors.length > 0) throw badInput(errors);
        const result = await run(document, { input: value }, request, context);
        if (result.errors?.[0]) throw inRestNames(result.errors[0]);
        return Response.json(project(payloadType, result.data?.[name]), {
          statusText: 'OK',
          headers: { 'Cache-Control': 'no-store' },
        });
      },
    };
  });
}
