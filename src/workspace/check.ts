import { ImportError } from './error.js';
import { type Workspace, workspace } from './format/workspace.js';
import { message, problemsOf, quote } from './problems.js';
import { findReferences, type Identities } from './references.js';

/** Checks the document and fills in every default. Throws an ImportError with all problems. */
export function check(document: unknown): { workspace: Workspace; identities: Identities } {
  const parsed = workspace.safeParse(document, { error: message });
  const { identities, problems } = findReferences(workspace, document);
  const all = [
    ...(parsed.success ? [] : problemsOf(parsed.error, workspace)),
    ...problems,
    ...cycles(document, 'goals', 'parent_goal_id'),
    ...cycles(document, 'folders', 'parent_folder_id'),
    ...misplaced(document),
  ];
  if (!parsed.success || all.length > 0) throw new ImportError(all);
  return { workspace: parsed.data, identities };
}

type Fields = Record<string, unknown>;

/** The records of a list that have an id. The document is not checked yet, so the list may be anything. */
function recordsOf(document: unknown, list: string): [number, Fields][] {
  const records = (document as Fields | null)?.[list];
  return Array.isArray(records) ? [...records.entries()].filter(([, record]) => typeof record?.id === 'string') : [];
}

/** Finds goals or folders that contain themselves: one problem for each cycle. */
function cycles(document: unknown, list: string, parentField: string): string[] {
  const records = recordsOf(document, list);
  const byId = new Map(records.map((entry) => [entry[1].id, entry]));
  const visitedBy = new Map<unknown, number>();
  return records.flatMap(([start, record]) => {
    const path: unknown[] = []; // ids, from the record upwards
    let next: [number, Fields] | undefined = [start, record];
    while (next && !visitedBy.has(next[1].id)) {
      visitedBy.set(next[1].id, start);
      path.push(next[1].id);
      next = byId.get(next[1][parentField]);
    }
    if (!next || visitedBy.get(next[1].id) !== start) return [];
    const cycle = [...path.slice(path.indexOf(next[1].id)), next[1].id].map(quote);
    return `${list}[${next[0]}].${parentField}: leads back to itself: ${cycle.join(' → ')}`;
  });
}

/** Finds records whose folder belongs to another hub than they do. */
function misplaced(document: unknown): string[] {
  const hubOf = new Map(recordsOf(document, 'folders').map(([, folder]) => [folder.id, folder.resource_hub_id]));
  return ['folders', 'files', 'documents'].flatMap((list) =>
    recordsOf(document, list).flatMap(([index, { resource_hub_id: hub, parent_folder_id: folder }]) =>
      hubOf.has(folder) && hubOf.get(folder) !== hub
        ? `${list}[${index}].parent_folder_id: ${quote(folder)} is a folder of ${quote(hubOf.get(folder))}, not of ${quote(hub)}`
        : [],
    ),
  );
}
