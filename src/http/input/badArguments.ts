import {
  type DocumentNode,
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isRequiredArgument,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import type { FieldError } from '../../errors/failures.js';
import { graphqlSpelling, readInput } from './readInput.js';
import { rootFields } from './rootFields.js';

/** Finds every invalid argument of the operation's root fields before they run, literal or in a variable. */
export function badArguments(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): FieldError[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const values = { ...defaultsOf(operation), ...variables };
  const selected = rootFields(document, operation, (node) => isIncluded(node, values));
  return selected.flatMap((node) =>
    (fields[node.name.value]?.args ?? []).flatMap((definition) => {
      const given = node.arguments?.find(({ name }) => name.value === definition.name);
      const value = given && withoutAbsent(valueFromASTUntyped(given.value, values));
      if (value === undefined) {
        return isRequiredArgument(definition)
          ? [{ field: definition.name, code: 'required' as const, message: 'is required' }]
          : [];
      }
      return readInput(definition.type, value, graphqlSpelling, definition.name, definition.extensions).errors;
    }),
  );
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );

/** Omits every field whose variable is not given, at any depth. */
function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(given.map(([name, entry]) => [name, withoutAbsent(entry)]));
}

function isIncluded(node: Pick<FieldNode, 'directives'>, values: Record<string, unknown>): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, values)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, values)?.if !== false;
}
