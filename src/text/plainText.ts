import { childrenOf, isNode, type RichNode, richText } from './richText.js';

const inline: ReadonlySet<unknown> = new Set(['text', 'mention', 'hardBreak', 'emoji']);

/** A text as people read it: a rich text with one line for each block, a plain text unchanged. */
export function plainText(text: string): string {
  const root = richText(text);
  if (!root) return text;
  const lines = [''];
  let begun = false;
  const write = (part: string) => {
    lines.push((lines.pop() ?? '') + part);
    begun = true;
  };
  // A list instead of recursion: the text may nest deeper than the stack.
  const open = childrenOf(root).reverse();
  for (let node = open.pop(); node; node = open.pop()) {
    if (!inline.has(node.type) && (begun || (node.type === 'listItem' && lines.at(-1)))) {
      lines.push('');
      begun = false;
    }
    const prefix = prefixOf(node);
    if (prefix) lines.push((lines.pop() ?? '') + prefix);
    const own = ownText(node);
    if (own) write(own);
    for (const child of childrenOf(node).reverse()) open.push(child);
  }
  return lines.join('\n');
}

/** An attribute that is a text or a number; empty if it is anything else, which may have no text. */
function attributeOf({ attrs }: RichNode, name: string): string {
  const value = isNode(attrs) ? attrs[name] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function ownText(node: RichNode): string {
  const attribute = (name: string) => attributeOf(node, name);
  if (node.type === 'text') return typeof node.text === 'string' ? node.text : '';
  if (node.type === 'mention') return `@${attribute('label') || attribute('id')}`;
  if (node.type === 'hardBreak') return '\n';
  if (node.type === 'emoji') return attribute('emoji') || attribute('name');
  if (node.type === 'horizontalRule') return '---';
  if (childrenOf(node).length > 0 || !isNode(node.attrs)) return '';
  const name = attribute('alt') || attribute('title') || attribute('filename') || attribute('src');
  return name && `[${name}]`;
}

function prefixOf(node: RichNode): string {
  if (node.type === 'listItem') return '- ';
  const level = node.type === 'heading' ? Number(attributeOf(node, 'level')) : 0;
  return level >= 1 && level <= 6 ? `${'#'.repeat(level)} ` : '';
}
