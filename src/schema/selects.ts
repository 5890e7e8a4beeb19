import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Whether a field of this name stands anywhere beneath a field. */
export function selects({ fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>, name: string) {
  const spread = new Set<string>();
  const has = (selections: SelectionSetNode | undefined): boolean =>
    selections?.selections.some((node) => {
      if (node.kind !== Kind.FRAGMENT_SPREAD)
        return (node.kind === Kind.FIELD && node.name.value === name) || has(node.selectionSet);
      if (spread.has(node.name.value)) return false;
      spread.add(node.name.value);
      return has(fragments[node.name.value]?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => has(selectionSet));
}
