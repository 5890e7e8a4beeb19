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
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { perOperation } from './perOperation.js';

type Values = Readonly<Record<string, unknown>>;

export type Field = GraphQLField<unknown, unknown>;

interface FieldWithArguments {
  field: Field;
  node: FieldNode;
  isRoot: boolean;
}

/** Remembered unless a directive decides which there are. */
const memoryOf = perOperation((): { fields?: FieldWithArguments[] } => ({}));

/** The fields of an operation that have arguments, in the order of the document. Those that a directive excludes do not run. */
export function fieldsWithArguments(
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
  const visit = (parent: GraphQLNamedType, { selections }: SelectionSetNode): void => {
    for (const node of selections) {
      isConditional ||= (node.directives?.length ?? 0) > 0;
      if (!isIncluded(node, values)) continue;
      if (node.kind === Kind.FIELD) {
        const field = 'getFields' in parent ? (parent.getFields()[node.name.value] as Field | undefined) : undefined;
        if (!field) continue;
        if (field.args.length > 0) found.push({ field, node, isRoot: parent === root });
        if (node.selectionSet) visit(getNamedType(field.type), node.selectionSet);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        visitTyped(node.typeCondition, parent, node.selectionSet);
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        for (const other of document.definitions) {
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

function isIncluded(node: Pick<FieldNode, 'directives'>, values: Values): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, values)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, values)?.if !== false;
}
