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

/**
 * The children of a node, in order. BlockNote keeps nested blocks beside the content, and the rows of a table, whose cells
 * may be lists of nodes, within it. What Slate and others leave out is added: a text without a type is a text.
 */
export function childrenOf({ content, children, rows, cells }: RichNode): RichNode[] {
  const found: RichNode[] = [];
  addNodes(found, content);
  addNodes(found, children);
  addNodes(found, rows, 'tableRow');
  addNodes(found, cells, 'tableCell');
  return found;
}

function addNodes(found: RichNode[], value: unknown, type?: string): void {
  if (value === undefined || value === null) return;
  for (const child of Array.isArray(value) ? value : [value]) {
    if (Array.isArray(child)) found.push({ type, content: child });
    else if (isNode(child))
      found.push(child.type === undefined ? { type: hasText(child) ? 'text' : type, ...child } : child);
    else if (typeof child === 'string' && child) found.push({ type: 'text', text: child });
  }
}

const hasText = ({ text }: RichNode) => typeof text === 'string';

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
