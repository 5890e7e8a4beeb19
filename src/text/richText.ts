export type RichNode = Record<string, unknown>;

/** The document node of a rich text (ProseMirror JSON, `"type": "doc"`); null when the text is plain. */
export function richText(text: string): RichNode | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const root: unknown = JSON.parse(text);
    return isNode(root) && root.type === 'doc' ? root : null;
  } catch {
    return null;
  }
}

export const isNode = (value: unknown): value is RichNode => typeof value === 'object' && value !== null;

/** The children of a node, in order. */
export const childrenOf = ({ content }: RichNode): RichNode[] =>
  Array.isArray(content) ? content.filter((child) => isNode(child)) : [];

/** The id of the person whom a node mentions, as it is shown and subscribed. A number is read as its decimal digits. */
export function mentionedBy({ type, attrs }: RichNode): string | null {
  const id = type === 'mention' && isNode(attrs) ? attrs.id : undefined;
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && id.isWellFormed() && !id.includes('\0') ? id : null;
}

/** Ids of the people a rich text mentions, at any depth; plain text mentions nobody. */
export function mentionedIn(text: string | null | undefined): string[] {
  const root = richText(text ?? '');
  if (!root) return [];
  const ids = new Set<string>();
  const open = [root];
  // A list instead of recursion: the text may nest deeper than the stack.
  for (let node = open.pop(); node; node = open.pop()) {
    const id = mentionedBy(node);
    if (id !== null) ids.add(id);
    for (const child of childrenOf(node)) open.push(child);
  }
  return [...ids];
}

/** The title and the content of a document. The content is plain or rich text. */
export interface DocumentText {
  title: string;
  content: string;
}
