import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
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
import { badInput, type FieldError, more, mostNamed, type NamedFields, withoutStack } from '../failures/index.js';
import { graphqlSpelling, readInput } from './input.js';
import { perOperation } from './operation.js';

type Values = Readonly<Record<string, unknown>>;

type Field = GraphQLField<unknown, unknown>;

interface FieldWithArguments {
  field: Field;
  node: FieldNode;
  /** The names that lead to it in the response. */
  path: readonly string[];
}

/** Remembered unless a directive decides which there are. */
const memoryOf = perOperation((): { fields?: FieldWithArguments[] } => ({}));

/** The fields of an operation that have arguments, in the order of the document. Those that a directive excludes do not run. */
function fieldsWithArguments(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
): FieldWithArguments[] {
  const memory = memoryOf(operation, document);
  if (memory.fields) return memory.fields;
  const root = schema.getRootType(operation.operation);
  const found: FieldWithArguments[] = [];
  let isConditional = false;
  const spread = new Set<string>();
  const visit = (parent: GraphQLNamedType, { selections }: SelectionSetNode, path: readonly string[]): void => {
    for (const node of selections) {
      isConditional ||= (node.directives?.length ?? 0) > 0;
      if (!isIncluded(node, values)) continue;
      if (node.kind === Kind.FIELD) {
        const field = 'getFields' in parent ? (parent.getFields()[node.name.value] as Field | undefined) : undefined;
        if (!field) continue;
        const inside = [...path, (node.alias ?? node.name).value];
        if (field.args.length > 0) found.push({ field, node, path: inside });
        if (node.selectionSet) visit(getNamedType(field.type), node.selectionSet, inside);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        visitTyped(node.typeCondition, parent, node.selectionSet, path);
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        for (const other of document.definitions) {
          const isSpread = other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === node.name.value;
          if (isSpread) visitTyped(other.typeCondition, parent, other.selectionSet, path);
        }
      }
    }
  };
  const visitTyped = (
    condition: NamedTypeNode | undefined,
    parent: GraphQLNamedType,
    selections: SelectionSetNode,
    path: readonly string[],
  ) => visit((condition && schema.getType(condition.name.value)) ?? parent, selections, path);
  if (root) visit(root, operation.selectionSet, []);
  if (!isConditional) memory.fields = found;
  return found;
}

function isIncluded(node: Pick<FieldNode, 'directives'>, values: Values): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, values)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, values)?.if !== false;
}

/** What a field's `extensions.check` finds wrong with its arguments together, which are of their types. */
type Check = (args: Values) => FieldError[];

/** The fields of an operation with invalid arguments, wherever they are, up to what a response names. */
function badFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Values,
): GraphQLError[] {
  // Without a prototype: a variable may be named like a member of every object.
  const values: Values = Object.assign(Object.create(null), defaultsOf(operation), variables);
  const failures: GraphQLError[] = [];
  const named: NamedFields = {};
  for (const { field, node, path } of fieldsWithArguments(schema, document, operation, values)) {
    const errors = errorsOf(field, node, values);
    if (errors.length === 0) continue;
    const isFull = (named.namedFields ?? 0) >= mostNamed;
    failures.push(locatedAt(badInput(isFull ? [more] : errors, named), node, path));
    if (isFull) break;
  }
  return failures;
}

/** The same failure, with the place of its field in the document and, without the indexes of lists, in the response. */
const locatedAt = ({ message, extensions }: GraphQLError, node: FieldNode, path: readonly string[]) =>
  withoutStack(() => new GraphQLError(message, { nodes: node, path, extensions }));

/** What is wrong with the arguments of a field, by their names and what is in them, such as `input.id`. */
function errorsOf(field: Field, node: FieldNode, values: Values): FieldError[] {
  const errors: FieldError[] = [];
  const read: Record<string, unknown> = {};
  for (const definition of field.args) {
    const { name, type, extensions } = definition;
    const given = node.arguments?.find((argument) => argument.name.value === name);
    const value = given && valueIn(given.value, values);
    if (value !== undefined) {
      const found = readInput(type, value, graphqlSpelling, name, extensions);
      read[name] = found.value;
      errors.push(...found.errors);
    } else if (isRequiredArgument(definition)) {
      errors.push({ field: name, code: 'required', message: 'is required' });
    }
  }
  const check = field.extensions.check as Check | undefined;
  return errors.length > 0 || !check ? errors : check(read);
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

/** Finds all bad input before any field runs, so that none is found after a change. Undefined if there is none. */
export function badInputOf(
  { schema, document, variableValues }: ExecutionArgs,
  node: OperationDefinitionNode,
): ExecutionResult | undefined {
  const errors = badFields(schema, document, node, variableValues ?? {});
  return errors.length > 0 ? { errors } : undefined;
}
