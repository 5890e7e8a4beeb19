import { GraphQLError, getOperationAST } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import { catalogue, type ErrorCode } from '../errors/catalogue.js';
import { badInput, failure, headersOf, readOnlyToken } from '../errors/failures.js';
import { badArguments } from './input/badArguments.js';
import { parseJson } from './input/parseJson.js';
import { readJson } from './input/readJson.js';
import type { Step } from './route.js';

/** What GraphQL's own layer needs to fail as the rest of the product does: one body reader, one input check, coded errors. */
export function useGraphqlRequest(bodyLimit: number): Step {
  return {
    onRequestParse({ request, url, serverContext, setRequestParser }) {
      const { refusal } = serverContext;
      if (refusal) {
        setRequestParser(() => {
          throw refusal;
        });
      } else if (request.method === 'POST') {
        setRequestParser(async () => readParams(await readJson(request, bodyLimit)));
      } else if (request.method === 'GET') {
        setRequestParser(() => readSearch(url.searchParams));
      }
    },
    onValidate({ params, context }) {
      const operation = getOperationAST(params.documentAST, context.params?.operationName);
      const root = operation && params.schema.getRootType(operation.operation);
      if (root?.extensions.scope === 'write' && !context.actor?.canWrite) throw readOnlyToken();
    },
    onExecute({ args }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (!operation || args.contextValue.inputIsChecked) return;
      const errors = badArguments(args.schema, args.document, operation, args.variableValues ?? {});
      if (errors.length > 0) throw badInput(errors);
    },
    onResultProcess({ result, serverContext, setResult }) {
      if (Array.isArray(result) || !('errors' in result) || !result.errors) return;
      const partial = result.data !== null && result.data !== undefined;
      setResult({
        ...result,
        errors: result.errors.map((error) => coded(error, serverContext.requestId, partial)),
      });
    },
  };
}

function readParams(body: unknown): GraphQLParams {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw failure('BAD_REQUEST', 'A GraphQL request is a JSON object with a query; batches are not answered');
}

function readSearch(search: URLSearchParams): GraphQLParams {
  const given = [...search].map(([name, value]) =>
    (name === 'variables' || name === 'extensions') && value !== '' ? [name, parseJson(value)] : [name, value],
  );
  return Object.fromEntries(given);
}

/** Gives an error its code, its request id and its status; an answer that has data is a 200. */
function coded(error: GraphQLError, requestId: string, partial: boolean): GraphQLError {
  const { http, ...members } = error.extensions;
  const extensions = { ...members, code: codeFor(error), requestId };
  const spoken = http ?? { status: catalogue[extensions.code].status, spec: true };
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: { ...extensions, http: partial ? { headers: headersOf(error) } : spoken },
  });
}

function codeFor(error: GraphQLError): ErrorCode {
  const { code, http } = error.extensions;
  if ((http as { status?: number } | undefined)?.status === 405) return 'METHOD_NOT_ALLOWED';
  if (typeof code === 'string' && code in catalogue) return code as ErrorCode;
  if (code !== undefined || http !== undefined) return 'BAD_REQUEST';
  // What is left comes from graphql-js itself: a syntax error, or a variable that does not fit its type.
  return error.message.startsWith('Syntax Error') ? 'GRAPHQL_PARSE_FAILED' : 'BAD_USER_INPUT';
}
