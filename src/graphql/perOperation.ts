import type { DocumentNode, OperationDefinitionNode } from 'graphql';

/** Finds something out about an operation once, and remembers it for as long as its document is kept. */
export function perOperation<Found>(
  find: (operation: OperationDefinitionNode, document: DocumentNode) => Found,
): (operation: OperationDefinitionNode, document: DocumentNode) => Found {
  const known = new WeakMap<OperationDefinitionNode, { found: Found }>();
  return (operation, document) => {
    const remembered = known.get(operation);
    if (remembered) return remembered.found;
    const found = find(operation, document);
    known.set(operation, { found });
    return found;
  };
}
