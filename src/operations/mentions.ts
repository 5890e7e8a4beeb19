/** Ids of the people a rich text (ProseMirror JSON, `"type": "doc"`) mentions, at any depth; plain text mentions nobody. */
export function mentionedIn(text: string | null | undefined): string[] {
  if (!text?.trimStart().startsWith('{')) return [];
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isNode(root) || root.type !== 'doc') return [];
  const ids = new Set<string>();
  const open: unknown[] = [root];
  // A list instead of recursion: the text may nest deeper than the stack.
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isNode(node)) continue;
    const id = node.type === 'mention' && isNode(node.attrs) ? node.attrs.id : undefined;
    if (typeof id === 'string' && id.isWellFormed() && !id.includes('\0')) ids.add(id);
    if (Array.isArray(node.content)) for (const child of node.content) open.push(child);
  }
  return [...ids];
}

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
