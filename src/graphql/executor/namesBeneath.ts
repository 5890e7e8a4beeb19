import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** What JSON adds to a name: quotation marks, a colon, a comma. */
const perName = 4;

const known = new WeakMap<SelectionSetNode, number>();

/** How many characters the names of the fields beneath a field take in a response, once for each of its items. */
export function namesBeneath({ fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>): number {
  const beneath = (selections: SelectionSetNode | undefined): number => {
    if (!selections) return 0;
    const counted = known.get(selections);
    if (counted !== undefined) return counted;
    const sum = selections.selections.reduce((total, node) => {
      if (node.kind === Kind.INLINE_FRAGMENT) return total + beneath(node.selectionSet);
      if (node.kind === Kind.FRAGMENT_SPREAD) return total + beneath(fragments[node.name.value]?.selectionSet);
      const { length } = (node.alias ?? node.name).value;
      return total + length + perName + beneath(node.selectionSet);
    }, 0);
    known.set(selections, sum);
    return sum;
  };
  return fieldNodes.reduce((total, { selectionSet }) => total + beneath(selectionSet), 0);
}
