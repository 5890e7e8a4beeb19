import {
  type ExecutionArgs,
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { changesIn } from '../operation.js';

type Field = GraphQLField<unknown, unknown>;

/** What a mutation field's `extensions.changes` says. */
type Changes<Changed> = (args: Record<string, unknown>) => Changed | undefined;

/** The records that the fields of a mutation change, of those whose arguments are valid. The others change nothing. */
export function changedRecords<Changed>(
  { schema, document, variableValues }: ExecutionArgs,
  operation: OperationDefinitionNode,
): Changed[] {
  const fields: Record<string, Field> = schema.getMutationType()?.getFields() ?? {};
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  if (!coerced) return [];
  return changesIn(operation, document).flatMap((node) => {
    const field = fields[node.name.value];
    const changes = field?.extensions.changes as Changes<Changed> | undefined;
    const args = field && changes && argumentsOf(field, node, coerced);
    return (args && changes?.(args)) ?? [];
  });
}

function argumentsOf(field: Field, node: FieldNode, variables: Record<string, unknown>) {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return undefined;
  }
}
