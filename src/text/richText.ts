export type RichNode = Record<string, unknown>;

/** A text with more objects than this is plain: its tree would take many times its memory. */
const mostObjects = 200_000;

/** The document node of a rich text (ProseMirror JSON, `"type": "doc"`); null when the text is plain. */
export function richText(text: string): RichNode | null {
  if (!/^\s*\{/.test(text) || hasTooManyObjects(text)) return null;
  try {
    const root: unknown = JSON.parse(text);
    return isNode(root) && root.type === 'doc' ? root : null;
  } catch {
    return null;
  }
}

function hasTooManyObjects(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) if (++count > mostObjects) return true;
  return false;
}

export const isNode = (value: unknown): value is RichNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The id of the person whom a node mentions, as it is shown and subscribed. A number is read as its decimal digits. */
export function mentionedBy({ type, attrs }: RichNode): string | null {
  const id = type === 'mention' && isNode(attrs) ? attrs.id : undefined;
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && id.isWellFormed() && !id.includes('\0') ? id : null;
}

/** Whether a text may mention somebody: what has not even the word is not parsed. */
export const mayMention = (text: string): boolean => text.includes('mention');

/** Ids of the people a rich text mentions, at any depth; plain text mentions nobody. For the thread for texts. */
export function mentionedIn(text: string): string[] {
  if (!mayMention(text)) return [];
  const ids = new Set<string>();
  // A list instead of recursion: the text may nest deeper than the stack.
  const open: unknown[] = [richText(text)];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (isNode(value)) {
      const id = mentionedBy(value);
      if (id !== null) ids.add(id);
      open.push(value.content);
    }
  }
  return [...ids];
}

/** The title and the content of a document. The content is plain or rich text. */
export interface DocumentText {
  title: string;
  content: string;
}
