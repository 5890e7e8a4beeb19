import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isRequiredArgument,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { type FieldError, mostNamed } from '../errors/failures.js';
import { readInput } from '../http/input/readInput.js';
import { graphqlSpelling } from '../http/input/spelling.js';
import { perOperation } from './perOperation.js';

type Values = Readonly<Record<string, unknown>>;

/** What a field's `extensions.check` finds wrong with its arguments together, which are of their types. */
type Check = (args: Values, field: string) => FieldError[];

/**
 * Finds the invalid arguments of an operation, literal or in a variable, wherever they are, so that no bad input is found
 * after an effect. Stops when there are more than an answer names.
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
  const memory = memoryOf(operation, document);
  for (const [field, node, prefix] of memory.fields ?? fieldsIn(schema, document, operation, values, memory)) {
    if (errors.length > mostNamed) break;
    errors.push(...errorsOf(field, node, values, prefix));
  }
  return errors;
}

type Fields = [field: Field, node: FieldNode, prefix: string][];

/** Remembered unless a directive decides which there are. */
const memoryOf = perOperation((): { fields?: Fields } => ({}));

/** The fields that have arguments. */
function fieldsIn(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
  memory: { fields?: Fields },
): Fields {
  const root = schema.getRootType(operation.operation);
  const found: Fields = [];
  const spread = new Set<string>();
  let isConditional = false;
  const visit = (parent: GraphQLNamedType, { selections }: SelectionSetNode): void => {
    for (const node of selections) {
      isConditional ||= (node.directives?.length ?? 0) > 0;
      if (!isIncluded(node, values)) continue;
      if (node.kind === Kind.FIELD) {
        const field = 'getFields' in parent ? (parent.getFields()[node.name.value] as Field | undefined) : undefined;
        if (!field) continue;
        if (field.args.length > 0) found.push([field, node, parent === root ? '' : `${field.name}.`]);
        if (node.selectionSet) visit(getNamedType(field.type), node.selectionSet);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        visitTyped(node.typeCondition, parent, node.selectionSet);
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        for (const other of definitions) {
          const isSpread = other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === node.name.value;
          if (isSpread) visitTyped(other.typeCondition, parent, other.selectionSet);
        }
      }
    }
  };
  const visitTyped = (condition: NamedTypeNode | undefined, parent: GraphQLNamedType, selections: SelectionSetNode) =>
    visit((condition && schema.getType(condition.name.value)) ?? parent, selections);
  if (root) visit(root, operation.selectionSet);
  if (!isConditional) memory.fields = found;
  return found;
}

type Field = GraphQLField<unknown, unknown>;

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

function isIncluded(node: Pick<FieldNode, 'directives'>, values: Values): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, values)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, values)?.if !== false;
}
