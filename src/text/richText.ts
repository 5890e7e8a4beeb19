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
export const childrenOf = ({ content }: RichNode): RichNode[] => (Array.isArray(content) ? content.filter(isNode) : []);
