import { codeMarks } from './assets/codeMarks.js';
import { type Html, html } from './html.js';

/** Code with its strings and comments marked. */
export function highlighted(code: string): Html {
  let end = 0;
  const parts = [...code.matchAll(codeMarks)].map(({ index, 0: part, 1: text }) => {
    const before = code.slice(end, index);
    end = index + part.length;
    return html`${before}<span class="${text ? 'string' : 'comment'}">${part}</span>`;
  });
  return html`${parts}${code.slice(end)}`;
}
