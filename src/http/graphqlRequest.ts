import { type DocumentNode, GraphQLError, getOperationAST, Kind } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { isErrorCode } from '../errors/catalogue.js';
import { badInput, failure, withoutStack } from '../errors/failures.js';
import { headersOf } from '../errors/problem.js';
import { quoted, shortened } from '../errors/quoted.js';
import { badArguments } from './input/badArguments.js';
import { nullConditions } from './input/nullConditions.js';
import { parseJson } from './input/parseJson.js';
import { readJson } from './input/readJson.js';
import type { Step } from './route.js';

/** Makes GraphQL fail like the rest of the product: the same body reader, input check and error codes. */
export function useGraphqlRequest(bodyLimit: number): Step {
  return {
    onRequestParse({ request, url, serverContext, setRequestParser }) {
      const { refusal } = serverContext;
      if (refusal) {
        setRequestParser(() => {
          throw refusal;
        });
      } else if (request.method === 'POST') {
        setRequestParser(async () => {
          const body = await readJson(request, bodyLimit, serverContext);
          if (Array.isArray(body)) serverContext.batchSize = body.length;
          return readParams(body);
        });
      } else if (request.method === 'GET') {
        setRequestParser(() => readSearch(url.searchParams));
      }
    },
    onParse({ context }) {
      return ({ result }) => {
        if (!result || result instanceof Error) return;
        const problem = operationProblem(result, context.params.operationName);
        if (problem) throw failure('BAD_REQUEST', { problem });
      };
    },
    onValidate({ params, context }) {
      const operation = getOperationAST(params.documentAST, context.params?.operationName);
      const root = operation && params.schema.getRootType(operation.operation);
      if (root?.extensions.scope === 'write' && !context.actor?.canWrite) throw failure('READ_ONLY_TOKEN');
    },
    onExecute({ args }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (!operation || args.contextValue.inputIsChecked) return;
      const variables = args.variableValues ?? {};
      const conditions = nullConditions(args.document, operation, variables);
      if (conditions.length > 0) throw badInput(conditions);
      const errors = badArguments(args.schema, args.document, operation, variables);
      if (errors.length > 0) throw badInput(errors);
    },
    onResultProcess({ result, serverContext, setResult }) {
      if (Array.isArray(result) || !('errors' in result) || !result.errors) return;
      // Yoga itself rejects some methods, before it reaches the router's refusal.
      const errors = (serverContext.refusal ? [serverContext.refusal] : result.errors).map(catalogued);
      serverContext.record?.addErrors(errors);
      const partial = result.data !== null && result.data !== undefined;
      setResult({
        ...result,
        errors: errors.map((error) => coded(error, serverContext.requestId, partial)),
      });
    },
  };
}

function readParams(body: unknown): GraphQLParams {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw failure('BAD_REQUEST', { isBatch: Array.isArray(body) });
}

/** An empty `operationName` is none, as GraphQL over HTTP says. */
function readSearch(search: URLSearchParams): GraphQLParams {
  const given = [...search]
    .filter(([name, value]) => name !== 'operationName' || value !== '')
    .map(([name, value]) =>
      (name === 'variables' || name === 'extensions') && value !== '' ? [name, parseJson(value)] : [name, value],
    );
  return Object.fromEntries(given);
}

/** Messages of the parser and of validation quote the document. */
const longestMessage = 4_000;

/** Adds the code, the request id and the status to an error. An answer with data is always 200. */
function coded(error: GraphQLError, requestId: string, partial: boolean): GraphQLError {
  const { message, extensions } = error;
  return withoutStack(
    () =>
      new GraphQLError(shortened(message, longestMessage), {
        nodes: error.nodes ?? null,
        source: error.source,
        positions: error.positions,
        path: error.path,
        extensions: { ...extensions, requestId, ...(partial && { http: { headers: headersOf(error) } }) },
      }),
  );
}

/** Turns an error of Yoga or graphql-js into a failure of the catalogue, which quotes its message. */
function catalogued(error: GraphQLError): GraphQLError {
  const { code, http } = error.extensions;
  if (code === 'BAD_REQUEST' && (http as { status?: number } | undefined)?.status === 405) {
    return failure('METHOD_NOT_ALLOWED', { target: 'A GraphQL mutation', method: 'GET', allow: ['POST'] });
  }
  if (isErrorCode(code)) return error;
  const { message, extensions } = failure('BAD_REQUEST', { problem: error.message });
  return withoutStack(
    () =>
      new GraphQLError(message, {
        nodes: error.nodes ?? null,
        source: error.source,
        positions: error.positions,
        path: error.path,
        extensions: { ...extensions, http: http ?? { ...(extensions.http as object), spec: true } },
      }),
  );
}

/** What keeps the operation to run from being found. Undefined if it is found. */
function operationProblem(document: DocumentNode, wanted: unknown): string | undefined {
  if (wanted != null && typeof wanted !== 'string') return 'operationName must be a string.';
  if (getOperationAST(document, wanted)) return undefined;
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length === 0) return 'The document has no operation.';
  const names = operations.map((node) =>
    'name' in node && node.name ? quoted(node.name.value) : 'one without a name',
  );
  const listed = `The document has ${shortened(names.join(', '))}.`;
  return wanted == null
    ? `The document has several operations. Name one in operationName. ${listed}`
    : `There is no operation ${quoted(wanted)}. ${listed}`;
}
