const levels = 4;

interface Container<Item> {
  nodes?: { nodes: (Item & Container<Item>)[] };
}

/** The data of {@link hubItems}. */
export interface HubItems<Item> {
  resourceHubs?: { nodes: Container<Item>[] };
}

/** A query for the items in the caller's hubs, up to four levels deep. `selection` applies to each item. */
export function hubItems(selection: string): string {
  const inside = (level: number): string =>
    `nodes(first: 20) { nodes { __typename id ${selection} ${level < levels ? `... on ResourceHubFolder { ${inside(level + 1)} }` : ''} } }`;
  return `{ resourceHubs(first: 5) { nodes { ${inside(1)} } } }`;
}

/** The items found, the deepest in their hub first, because their responses show a path. */
export function deepestFirst<Item extends object>({ resourceHubs }: HubItems<Item>): Item[] {
  const found: { item: Item; depth: number }[] = [];
  const collect = (container: Container<Item>, depth: number) => {
    for (const item of container.nodes?.nodes ?? []) {
      found.push({ item, depth });
      collect(item, depth + 1);
    }
  };
  for (const hub of resourceHubs?.nodes ?? []) collect(hub, 0);
  return found.sort((one, other) => other.depth - one.depth).map(({ item }) => item);
}
