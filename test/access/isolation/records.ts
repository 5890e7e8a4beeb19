import type { Company } from './company.js';
import type { Kind } from './policy.js';

/** A record that callers ask for. */
export interface Target {
  kind: Kind;
  id: string;
  state: string;
  audience: string;
}

/** Every record of a company that can be looked up, in each of its states. */
export function targetsOf({ filled, spaces, goals, hubs, removed }: Company): Target[] {
  const entries = (kind: Kind, records: Record<string, { id: string }>, audience: string) =>
    Object.entries(records).map(([state, { id }]) => ({ kind, id, state, audience }));
  return [
    ...(['goals', 'files', 'documents'] as const).flatMap((kind) => entries(kind, { filled: filled[kind] }, 'filled')),
    ...entries('folders', { nested: { id: filled.files.parentFolderId ?? '' } }, 'filled'),
    ...Object.entries(spaces).flatMap(([audience, space]) => entries('spaces', { space }, audience)),
    ...goals.flatMap(({ id, state, audience }) => entries('goals', { [state]: { id } }, audience)),
    ...hubs.flatMap(({ id, folder, files, documents, audience }) => [
      ...entries('hubs', { hub: { id } }, audience),
      ...entries('folders', { folder }, audience),
      ...entries('files', files, audience),
      ...entries('documents', documents, audience),
    ]),
    ...(['space', 'goal', 'file', 'document'] as const).flatMap((name) =>
      entries(`${name}s`, { removed: removed[name] }, 'removed'),
    ),
    ...[removed.hub, ...removed.others].flatMap((hub) => entries('hubs', { hub }, 'removed')),
    ...entries('folders', { folder: removed.hub.folder }, 'removed'),
    ...entries('files', removed.hub.files, 'removed'),
    ...entries('documents', removed.hub.documents, 'removed'),
  ];
}
