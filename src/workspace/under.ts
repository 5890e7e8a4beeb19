/** The children of all parents, each with the id of its parent in `column`. */
export function under<Parent extends { id: string }, Child, Column extends string>(
  parents: Parent[],
  column: Column,
  childrenOf: (parent: Parent) => Child[],
): (Child & Record<Column, string>)[] {
  return parents.flatMap((parent) =>
    childrenOf(parent).map((child) => ({ ...child, [column]: parent.id }) as Child & Record<Column, string>),
  );
}
