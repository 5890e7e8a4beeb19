import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** The fields a valid operation asks of its root type, fragments opened: one for each name in the answer. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  const fields = new Map<string, FieldNode>();
  const collect = ({ selections }: SelectionSetNode) => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) fields.set((node.alias ?? node.name).value, node);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else
        for (const fragment of document.definitions)
          if (fragment.kind === Kind.FRAGMENT_DEFINITION && fragment.name.value === node.name.value)
            collect(fragment.selectionSet);
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}
