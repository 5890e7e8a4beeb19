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

/** The children of a node, in order. BlockNote keeps nested blocks beside the content. */
export const childrenOf = ({ content, children }: RichNode): RichNode[] => [...nodesOf(content), ...nodesOf(children)];

const nodesOf = (value: unknown): RichNode[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** The id of the person whom a node mentions, as it is shown and subscribed. A number is read as its decimal digits. */
export function mentionedBy({ type, attrs }: RichNode): string | null {
  const id = type === 'mention' && isNode(attrs) ? attrs.id : undefined;
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && id.isWellFormed() && !id.includes('\0') ? id : null;
}
