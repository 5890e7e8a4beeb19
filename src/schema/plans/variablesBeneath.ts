import { type ASTNode, type FieldNode, type GraphQLResolveInfo, visit } from 'graphql';

/** The names of the variables in what a field selects, also in fragments. */
export function variablesBeneath({ selectionSet }: FieldNode, fragments: GraphQLResolveInfo['fragments']): string[] {
  const names = new Set<string>();
  const spread = new Set<string>();
  const read = (part: ASTNode | undefined) => {
    if (!part) return;
    visit(part, {
      Variable: ({ name }) => void names.add(name.value),
      FragmentSpread: ({ name: { value } }) => {
        if (spread.has(value)) return;
        spread.add(value);
        read(fragments[value]);
      },
    });
  };
  read(selectionSet);
  return [...names];
}
