import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The root fields that an operation selects, directly or in fragments: one for each name in the answer. */
export function rootFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isIncluded: (node: SelectionNode) => boolean = () => true,
): FieldNode[] {
  const fields = new Map<string, FieldNode>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode) => {
    for (const node of selections.filter(isIncluded)) {
      if (node.kind === Kind.FIELD) fields.set((node.alias ?? node.name).value, node);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else collectFragment(node.name.value);
    }
  };
  const collectFragment = (name: string) => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const node of document.definitions) {
      if (node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name) collect(node.selectionSet);
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}
