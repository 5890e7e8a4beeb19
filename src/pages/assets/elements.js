import { codeMarks } from './codeMarks.js';

/** An element with its properties and children. */
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Code with its strings and comments marked; `mark` makes the element of each. */
export function codeNodes(code, mark = markOf) {
  const nodes = [];
  let end = 0;
  for (const match of code.matchAll(codeMarks)) {
    nodes.push(code.slice(end, match.index), mark(match));
    end = match.index + match[0].length;
  }
  return [...nodes, code.slice(end)];
}

export const markOf = ([textContent, string]) =>
  element('span', { className: string ? 'string' : 'comment', textContent });

/** A block of code that the keyboard can scroll. */
export const codeBlock = (ariaLabel, nodes) =>
  element('pre', { tabIndex: 0, role: 'region', ariaLabel }, element('code', {}, ...nodes));

/** A link to what an error code means. */
export const meaningOf = (code) => element('a', { href: `/errors/${code}`, textContent: `What ${code} means` });
