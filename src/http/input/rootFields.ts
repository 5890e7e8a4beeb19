import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fields an operation asks of its root type, fragments opened: one for each name in the answer. */
export function rootFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isIncluded: (node: SelectionNode) => boolean = () => true,
): FieldNode[] {
  const fields = new Map<string, FieldNode>();
  const opened = new Set<string>();
  const collect = ({ selections }: SelectionSetNode) => {
    for (const node of selections.filter(isIncluded)) {
      if (node.kind === Kind.FIELD) fields.set((node.alias ?? node.name).value, node);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else open(node.name.value);
    }
  };
  const open = (name: string) => {
    if (opened.has(name)) return;
    opened.add(name);
    for (const node of document.definitions) {
      if (node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name) collect(node.selectionSet);
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}
