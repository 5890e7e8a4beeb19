import { childrenOf, isNode, type RichNode, richText } from './richText.js';

const inline = new Set(['text', 'mention', 'hardBreak', 'emoji']);

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
    if (!inline.has(String(node.type)) && (begun || (node.type === 'listItem' && lines.at(-1)))) {
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

function ownText(node: RichNode): string {
  const attribute = (name: string) => (isNode(node.attrs) ? String(node.attrs[name] ?? '') : '');
  if (node.type === 'text') return typeof node.text === 'string' ? node.text : '';
  if (node.type === 'mention') return `@${attribute('label') || attribute('id')}`;
  if (node.type === 'hardBreak') return '\n';
  if (node.type === 'emoji') return attribute('emoji') || attribute('name');
  if (node.type === 'horizontalRule') return '---';
  if (childrenOf(node).length > 0 || !isNode(node.attrs)) return '';
  const name = attribute('alt') || attribute('title') || attribute('filename') || attribute('src');
  return name && `[${name}]`;
}

function prefixOf({ type, attrs }: RichNode): string {
  if (type === 'listItem') return '- ';
  const level = type === 'heading' && isNode(attrs) ? Number(attrs.level) : 0;
  return level >= 1 && level <= 6 ? `${'#'.repeat(level)} ` : '';
}
