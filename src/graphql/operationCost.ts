import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { perOperation } from './perOperation.js';
import { measure, type QueryCost } from './queryCost.js';

interface Measured {
  cost: QueryCost;
  /** The page sizes that variables gave. Nothing else of a request changes what its document costs. */
  sizes: Map<string, number | undefined>;
}

export type CostOf = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
) => QueryCost;

/** Measures an operation, and again only when a page size differs from the last time. */
export function operationCost(schema: GraphQLSchema): CostOf {
  const memoryOf = perOperation((): { last?: Measured } => ({}));
  return (document, operation, variables) => {
    const sizeIn = (name: string) => numberIn(operation, variables, name);
    const memory = memoryOf(operation, document);
    const { last } = memory;
    if (last && [...last.sizes].every(([name, size]) => sizeIn(name) === size)) return last.cost;
    const sizes = new Map<string, number | undefined>();
    const cost = measure(schema, document, operation, (name) => {
      sizes.set(name, sizeIn(name));
      return sizes.get(name);
    });
    memory.last = { cost, sizes };
    return cost;
  };
}

/** The number that a variable has, by itself or by its default. */
function numberIn(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
  name: string,
): number | undefined {
  const fallback = variableDefinitions.find(({ variable }) => variable.name.value === name)?.defaultValue;
  const value = Object.hasOwn(variables, name) ? variables[name] : fallback && valueFromASTUntyped(fallback);
  return typeof value === 'number' ? value : undefined;
}
