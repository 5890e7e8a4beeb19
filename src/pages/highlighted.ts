import { type Html, html } from './html.js';

const parts = /("(?:\\.|[^"\\\n])*")|(^ *#.*$)/gm;

/** Code with its strings and comments marked, which is what helps to read JSON, JavaScript, GraphQL and commands. */
export function highlighted(code: string): Html {
  let end = 0;
  const marked = [...code.matchAll(parts)].map(({ 0: part, 1: text, index }) => {
    const before = code.slice(end, index);
    end = index + part.length;
    return html`${before}<span class="${text ? 'string' : 'comment'}">${part}</span>`;
  });
  return html`${marked}${code.slice(end)}`;
}
