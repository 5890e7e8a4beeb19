import type { ExecutionArgs, OperationDefinitionNode } from 'graphql';
import { badInput } from '../errors/failures.js';
import { badArguments } from './badArguments.js';
import { nullDirectives } from './nullDirectives.js';

/** Finds all bad input before any field runs, so that none is found after a change. */
export function requireValidInput(
  { schema, document, variableValues }: ExecutionArgs,
  node: OperationDefinitionNode,
): void {
  const variables = variableValues ?? {};
  const conditions = nullDirectives(document, node, variables);
  if (conditions.length > 0) throw badInput(conditions);
  const errors = badArguments(schema, document, node, variables);
  if (errors.length > 0) throw badInput(errors);
}
