const levels = 4;

interface Place<Item> {
  nodes?: { nodes: (Item & Place<Item>)[] };
}

/** The data of {@link hubItems}. */
export interface HubItems<Item> {
  resourceHubs?: { nodes: Place<Item>[] };
}

/** A query for what lies in the caller's hubs, some folders deep; `selection` is of each folder, file and document. */
export function hubItems(selection: string): string {
  const inside = (level: number): string =>
    `nodes(first: 20) { nodes { __typename id ${selection} ${level < levels ? `... on ResourceHubFolder { ${inside(level + 1)} }` : ''} } }`;
  return `{ resourceHubs(first: 5) { nodes { ${inside(1)} } } }`;
}

/** The items found, those deepest in their hub first: their answers show a path. */
export function deepestFirst<Item extends object>({ resourceHubs }: HubItems<Item>): Item[] {
  const found: { item: Item; depth: number }[] = [];
  const collect = (place: Place<Item>, depth: number) => {
    for (const item of place.nodes?.nodes ?? []) {
      found.push({ item, depth });
      collect(item, depth + 1);
    }
  };
  for (const hub of resourceHubs?.nodes ?? []) collect(hub, 0);
  return found.sort((one, other) => other.depth - one.depth).map(({ item }) => item);
}
