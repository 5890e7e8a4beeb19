import {
  type DocumentNode,
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { type FieldError, mostNamed } from '../../errors/failures.js';
import { graphqlSpelling, readInput } from './readInput.js';
import { rootFields } from './rootFields.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * Finds the invalid arguments of the operation's root fields before they run, literal or in a variable. Stops when there
 * are more than an answer names.
 */
export function badArguments(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Values,
): FieldError[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  // Without a prototype: a variable may be named like a member of every object.
  const values: Values = Object.assign(Object.create(null), defaultsOf(operation), variables);
  const errors: FieldError[] = [];
  for (const node of rootFields(document, operation, (node) => isIncluded(node, values))) {
    for (const definition of fields[node.name.value]?.args ?? []) {
      if (errors.length > mostNamed) return errors;
      const { name, type, extensions } = definition;
      const given = node.arguments?.find((argument) => argument.name.value === name);
      const value = given && valueIn(given.value, values);
      if (value !== undefined) errors.push(...readInput(type, value, graphqlSpelling, name, extensions).errors);
      else if (isRequiredArgument(definition)) errors.push({ field: name, code: 'required', message: 'is required' });
    }
  }
  return errors;
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Values =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );

/** A value as it is written, without the fields whose variable is not given. What a variable holds is not copied. */
function valueIn(node: ValueNode, values: Values): unknown {
  if (node.kind === Kind.LIST) return node.values.map((item) => valueIn(item, values));
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node, values);
  const fields = node.fields.map(({ name, value }) => [name.value, valueIn(value, values)]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function isIncluded(node: Pick<FieldNode, 'directives'>, values: Values): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, values)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, values)?.if !== false;
}
