import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** The root fields that an operation selects, directly or in fragments: one for each name in the response. */
export function rootFields({ definitions }: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  const fields = new Map<string, FieldNode>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) fields.set((node.alias ?? node.name).value, node);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        for (const other of definitions) {
          if (other.kind === Kind.FRAGMENT_DEFINITION && other.name.value === node.name.value)
            collect(other.selectionSet);
        }
      }
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}
