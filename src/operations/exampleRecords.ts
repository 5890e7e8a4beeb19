import type { LookUp } from './declaration.js';

/** Bounds what an example may cost in any workspace. */
const mostFolders = 10;
const deepest = 4;

/** A node of a hub, with what was selected of it. */
interface Item {
  __typename: string;
  id: string;
  name: string;
  currentVersion?: number | null;
  versionsCount?: number;
  permissions?: { canDeleteFile?: boolean; canEditDocument?: boolean };
}

interface Container {
  nodes: { nodes: Item[] };
}

/** The items in the caller's hubs, with `selection`. The deepest in their hub come first: their responses show a path. */
export async function hubItems(lookUp: LookUp, selection: string): Promise<Item[]> {
  const nodes = `nodes(first: 20) { nodes { __typename id name ${selection} } }`;
  const { resourceHubs } = await lookUp<{ resourceHubs: { nodes: Container[] } }>(
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
    level = itemsIn(Object.values(await lookUp<Record<string, Container | null>>(`{ ${aliases.join(' ')} }`)));
    found.unshift(level);
  }
  return found.flat();
}

const itemsIn = (containers: (Container | null | undefined)[]): Item[] =>
  containers.flatMap((container) => container?.nodes.nodes ?? []);
