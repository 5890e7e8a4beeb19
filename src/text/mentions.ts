import { childrenOf, mentionedBy, richText } from './richText.js';

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
