import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { type FieldError, mostNamed } from '../errors/failures.js';
import { readInput } from '../http/input/readInput.js';
import { graphqlSpelling } from '../http/input/spelling.js';
import { type Field, fieldsWithArguments } from './fieldsWithArguments.js';

type Values = Readonly<Record<string, unknown>>;

/** What a field's `extensions.check` finds wrong with its arguments together, which are of their types. */
type Check = (args: Values, field: string) => FieldError[];

/**
 * Finds the invalid arguments of an operation, literal or in a variable, wherever they are, so that no bad input is found
 * after an effect. Stops when there are more than a response names.
 */
export function badArguments(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Values,
): FieldError[] {
  // Without a prototype: a variable may be named like a member of every object.
  const values: Values = Object.assign(Object.create(null), defaultsOf(operation), variables);
  const errors: FieldError[] = [];
  for (const { field, node, isRoot } of fieldsWithArguments(schema, document, operation, values)) {
    if (errors.length > mostNamed) break;
    errors.push(...errorsOf(field, node, values, isRoot ? '' : `${field.name}.`));
  }
  return errors;
}

function errorsOf(field: Field, node: FieldNode, values: Values, prefix: string): FieldError[] {
  const errors: FieldError[] = [];
  const read: Record<string, unknown> = {};
  for (const definition of field.args) {
    const { name, type, extensions } = definition;
    const given = node.arguments?.find((argument) => argument.name.value === name);
    const value = given && valueIn(given.value, values);
    if (value !== undefined) {
      const found = readInput(type, value, graphqlSpelling, prefix + name, extensions);
      read[name] = found.value;
      errors.push(...found.errors);
    } else if (isRequiredArgument(definition)) {
      errors.push({ field: prefix + name, code: 'required', message: 'is required' });
    }
  }
  const check = field.extensions.check as Check | undefined;
  return errors.length > 0 || !check ? errors : check(read, field.name);
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
