import type { LookUp } from './storedMutation.js';

/** Bounds what an example may cost in any workspace. */
const mostFolders = 10;
const deepest = 4;

interface Node {
  __typename: string;
  id: string;
}

interface Container<Item> {
  nodes: { nodes: Item[] };
}

/** The items in the caller's hubs, with `selection`. The deepest in their hub come first: their responses show a path. */
export async function hubItems<Item extends Node>(lookUp: LookUp, selection: string): Promise<Item[]> {
  const nodes = `nodes(first: 20) { nodes { __typename id name ${selection} } }`;
  const { resourceHubs } = await lookUp<{ resourceHubs: { nodes: Container<Item>[] } }>(
    `{ resourceHubs(first: 5) { nodes { ${nodes} } } }`,
  );
  let level = itemsIn(resourceHubs?.nodes ?? []);
  const found = [level];
  while (found.length < deepest) {
    const folders = level.filter(({ __typename }) => __typename === 'ResourceHubFolder').slice(0, mostFolders);
    if (folders.length === 0) break;
    const aliases = folders.map(
      ({ id }, index) => `folder${index}: resourceHubFolder(id: ${JSON.stringify(id)}) { ${nodes} }`,
    );
    level = itemsIn(Object.values(await lookUp<Record<string, Container<Item> | null>>(`{ ${aliases.join(' ')} }`)));
    found.unshift(level);
  }
  return found.flat();
}

const itemsIn = <Item>(containers: (Container<Item> | null | undefined)[]): Item[] =>
  containers.flatMap((container) => container?.nodes.nodes ?? []);
