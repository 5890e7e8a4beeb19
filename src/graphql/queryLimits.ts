import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { failure } from '../errors/failures.js';
import { changesIn } from './operation.js';
import { type CostOf, operationCost } from './operationCost.js';
import type { DocumentLimits } from './parseDocument.js';
import { noCost, type QueryCost } from './queryCost.js';

/** The most that one GraphQL request may ask for: `mutations` are the fields of a mutation. */
export interface QueryLimits extends Omit<QueryCost, 'pages'>, DocumentLimits {
  mutations: number;
}

const measured = ['complexity', 'depth', 'aliases', 'mutations'] as const;

/** Measures the operation to run. Throws QUERY_TOO_COMPLEX if it is over a limit. Decisions: "Query cost". */
export function costWithin(limits: QueryLimits, schema: GraphQLSchema): CostOf {
  const costOf = operationCost(schema);
  return (document, operation, variables) => {
    const cost = costOf(document, operation, variables);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const asked = { ...cost, mutations: isMutation ? changesIn(operation, document).length : 0 };
    const exceeded = measured
      .filter((limit) => asked[limit] > limits[limit])
      .map((limit) => ({ limit, actual: asked[limit], maximum: limits[limit] }));
    if (exceeded.length > 0) throw failure('QUERY_TOO_COMPLEX', { exceeded });
    return cost;
  };
}

/** The cost as clients see it that ask for it with `GraphQL-Cost: report`, as they would ask other GraphQL servers. */
export const reportedCost = ({ complexity, depth, aliases }: QueryLimits, { pages: _pages, ...cost } = noCost) => ({
  ...cost,
  limits: { complexity, depth, aliases },
});
