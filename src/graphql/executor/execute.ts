import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  getVariableValues,
  OperationTypeNode,
} from 'graphql';
import { operationOf } from '../operation.js';
import { executeFields, executeSerially } from './executeFields.js';
import type { ResponseBudget } from './responseBudget.js';
import { Run } from './run.js';
import { selectionsOf } from './selections.js';

/** Executes a valid operation as graphql-js does. What executions of the same document have in common is kept. */
export async function execute(
  { schema, document, operationName, variableValues, rootValue, contextValue }: ExecutionArgs,
  budget?: ResponseBudget,
): Promise<ExecutionResult> {
  const operation = operationOf(document, operationName);
  if (!operation) throw new Error('the document has no such operation');
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
    maxErrors: 50,
  });
  if (!coerced) return { errors };
  const { root } = selectionsOf(schema, document, operation, coerced);
  const run = new Run(coerced, contextValue, rootValue, budget);
  try {
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const data = isMutation
      ? await executeSerially(run, root, rootValue)
      : await executeFields(run, root, rootValue, undefined);
    return run.errors.length === 0 ? { data } : { errors: [...run.errors], data };
  } catch (error) {
    return { errors: [...run.errors, error as GraphQLError], data: null };
  }
}
