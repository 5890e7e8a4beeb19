import {
  type DocumentNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ParseOptions,
  parse,
  type Source,
  syntaxError,
  TokenKind,
} from 'graphql';
import { failure } from '../../errors/failures.js';
import { perOperation } from '../input/perOperation.js';
import { rootFields } from '../input/rootFields.js';
import type { RequestHead } from '../requestHead.js';
import type { Step } from '../route.js';
import { type CostOf, costIn } from './costIn.js';
import { noCost, type QueryCost } from './queryCost.js';

/** The request header that asks for the cost. */
export const costHeader = 'GraphQL-Cost';

/** The most that one GraphQL request may ask for: `tokens` in its document, `mutations` fields in a mutation. */
export interface QueryLimits extends QueryCost {
  tokens: number;
  mutations: number;
}

const measured = ['complexity', 'depth', 'aliases', 'mutations'] as const;

/**
 * Rejects GraphQL documents over a limit before they are validated and before any SQL, and reports the cost to clients
 * that ask for it. REST's stored documents are exempt. Decisions: "Query cost".
 */
export function useQueryLimits(limits: QueryLimits): Step {
  const { tokens, mutations, ...costLimits } = limits;
  const costs = new WeakMap<Request, QueryCost>();
  let costOf: CostOf | undefined;

  function check(document: DocumentNode, operation: OperationDefinitionNode, cost: QueryCost): void {
    const fields = operation.operation === OperationTypeNode.MUTATION ? countFields(operation, document) : 0;
    const asked = { ...cost, mutations: fields };
    const exceeded = measured.filter((limit) => asked[limit] > limits[limit]);
    if (exceeded.length === 0) return;
    const all = exceeded.map((limit) => ({ limit, actual: asked[limit], maximum: limits[limit] }));
    throw failure('QUERY_TOO_COMPLEX', { exceeded: all });
  }

  return {
    onParse({ setParseFn }) {
      setParseFn((source: string | Source, options?: ParseOptions) => parseWithin(tokens, source, options));
    },
    onValidate({ params: { schema, documentAST }, context: { request, params } }) {
      const chosen = getOperationAST(documentAST, params?.operationName);
      costOf ??= costIn(schema);
      for (const node of documentAST.definitions) {
        if (node.kind !== Kind.OPERATION_DEFINITION) continue;
        const cost = costOf(documentAST, node, params?.variables ?? {});
        if (node === chosen) costs.set(request, cost);
        check(documentAST, node, cost);
      }
    },
    onResultProcess({ request, result, setResult }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || !wantsCost(request)) return;
      const cost = { ...(costs.get(request) ?? noCost), limits: costLimits };
      setResult({ ...result, extensions: { ...result.extensions, cost } });
    },
  };
}

/** Whether the client asks for the cost with `GraphQL-Cost: report`, as it would ask other GraphQL servers. */
const wantsCost = ({ headers }: RequestHead) => headers.get(costHeader)?.trim().toLowerCase() === 'report';

/** The number of fields that a mutation runs. Fields with the same name in the answer count once. */
const countFields = perOperation(
  (operation, document) => rootFields(document, operation).filter(({ name }) => name.value !== '__typename').length,
);

function parseWithin(maxTokens: number, source: string | Source, options?: ParseOptions): DocumentNode {
  try {
    const document = parse(source, { ...options, maxTokens });
    requireUsableNames(document);
    return document;
  } catch (error) {
    const tooLong = error instanceof Error && /tokens\. Parsing aborted/.test(error.message);
    // The parser recurses for each level, so that a deep document overflows the stack.
    const tooDeep = error instanceof RangeError;
    if (tooLong || tooDeep) throw failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'tokens', maximum: maxTokens }] });
    throw error;
  }
}

const longestName = 200;

/**
 * Throws a syntax error for a name that is too long, since an answer has the names of its fields once for each record; and
 * for the variable `$__proto__`, whose value the executor would lose.
 */
function requireUsableNames({ loc }: DocumentNode): void {
  for (let token = loc?.startToken; loc && token; token = token.next ?? undefined) {
    if (token.kind !== TokenKind.NAME) continue;
    if (token.value.length > longestName) {
      throw syntaxError(loc.source, token.start, `A name has more than ${longestName} characters.`);
    }
    if (token.value === '__proto__' && token.prev?.kind === TokenKind.DOLLAR) {
      throw syntaxError(loc.source, token.start, 'A variable cannot be named __proto__.');
    }
  }
}
