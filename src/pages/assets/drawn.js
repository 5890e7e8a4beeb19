import { element } from './elements.js';
import { kindOf, marksOf, typeOf, wordsOf } from './nodes.js';
import { plainText } from './reading.js';
import { childrenOf, isNode, richText } from './richText.js';

/** Elements deeper than this are no longer drawn within each other. */
const deepest = 40;

const elementOf = {
  paragraph: 'p',
  bulletlist: 'ul',
  tasklist: 'ul',
  todolist: 'ul',
  checkboxlist: 'ul',
  checklist: 'ul',
  decisionlist: 'ul',
  orderedlist: 'ol',
  blockquote: 'blockquote',
  quote: 'blockquote',
  codeblock: 'pre',
  codefence: 'pre',
  table: 'table',
  tablerow: 'tr',
  tr: 'tr',
  tablecell: 'td',
  td: 'td',
  tableheader: 'th',
  th: 'th',
};
const elementOfMark = {
  bold: 'strong',
  strong: 'strong',
  italic: 'em',
  em: 'em',
  code: 'code',
  codeinline: 'code',
  strike: 's',
  strikethrough: 's',
  underline: 'u',
};
const isItem = (type) => /(list|task|todo|checkbox|decision)item$/.test(type);
/** Below the headings of a version. Those of a text may skip levels, which the page must not. */
const headingLevel = 4;

/** A text as it reads: a rich text with its headings, lists and marks, a plain one with its lines. */
export function drawn(content) {
  const root = richText(content);
  if (!root) return [element('div', { className: 'lines', textContent: content })];
  return childrenOf(root).map((node) => draw(node, 0));
}

function draw(node, depth) {
  const [type, kind, inside] = [typeOf(node), kindOf(node), childrenOf(node)];
  if (depth > deepest) return plainText(JSON.stringify({ type: 'doc', content: [node] }));
  if (type === 'text') return marked(node, wordsOf(node, kind, true));
  if (type === 'hardbreak' || type === 'br') return element('br', {});
  if (type === 'horizontalrule' || type === 'hr' || type === 'divider') return element('hr', {});
  const children = () => inside.map((child) => draw(child, depth + 1));
  if (type === 'heading') {
    const level = Math.min(Number(node.attrs?.level ?? node.props?.level) || 1, 6);
    return element(
      'p',
      { className: `heading level${level}`, role: 'heading', ariaLevel: headingLevel },
      ...children(),
    );
  }
  const words = wordsOf(node, kind, inside.length === 0);
  if (isItem(type)) {
    const isPlain = words === '- ' || words === '1. ';
    return element('li', { className: isPlain ? '' : 'state' }, ...(isPlain ? [] : [words]), ...children());
  }
  const name = elementOf[type];
  if (name === 'ol')
    return element('ol', { start: Number(node.attrs?.start ?? node.attrs?.order) || 1 }, ...children());
  if (name) return element(name, {}, ...(words ? [words] : []), ...children());
  if (kind?.place === 'inline') return marked(node, words, children());
  return element('div', {}, ...(words ? [marked(node, words)] : []), ...children());
}

/** Words with the looks of their marks, and with what the marks say. */
function marked(node, words, children = []) {
  const around = marksOf(node);
  const said = [
    ...around.map(({ opening }) => opening),
    words,
    ...children,
    ...around.map(({ closing }) => closing).reverse(),
  ];
  const looks = (Array.isArray(node.marks) ? node.marks.filter(isNode) : []).flatMap(
    (mark) => elementOfMark[typeOf(mark)] ?? [],
  );
  const whole = element('span', {}, ...said);
  return looks.reduce((inner, name) => element(name, {}, inner), whole);
}
