import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { measure, type QueryCost } from './queryCost.js';

export type CostOf = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
) => QueryCost;

/** Measures an operation with the page sizes that its variables have. */
export const operationCost =
  (schema: GraphQLSchema): CostOf =>
  (document, operation, variables) =>
    measure(schema, document, operation, (name) => numberIn(operation, variables, name));

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
