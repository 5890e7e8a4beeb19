import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
} from 'graphql';
import { badInput, type FieldError } from '../errors.js';
import { readJson } from '../http/body.js';
import type { RequestContext, Route } from '../http/route.js';
import { readInput, restSpelling } from '../input.js';
import { snakeCase } from '../naming.js';
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

/** Parses and validates a stored mutation once, when the gateway starts. */
function prepare(schema: GraphQLSchema, { path, document: text }: StoredMutation) {
  const document = parse(text, { noLocation: true });
  const [error] = validate(schema, document);
  if (error) throw new Error(`the stored mutation of ${path} does not fit the schema: ${error.message}`);
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const field = operation?.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  const definition = field && schema.getMutationType()?.getFields()[field.name.value];
  const input = definition?.args.find(({ name }) => name === 'input');
  if (!definition || !input) throw new Error(`the stored mutation of ${path} has no mutation field with an input`);
  return { document, name: definition.name, inputType: input.type, payloadType: definition.type };
}

/** Field paths of the input as REST spells them: `input.subscriberIds[2]` -> `subscriber_ids[2]`. */
function inRestNames(error: GraphQLError): GraphQLError {
  const { code, errors } = error.extensions;
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(errors)) return error;
  return badInput(
    (errors as FieldError[]).map((entry) => ({ ...entry, field: snakeCase(entry.field.replace(/^input\./, '')) })),
  );
}
