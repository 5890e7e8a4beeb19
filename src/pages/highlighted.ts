import { type Html, html, markedUp } from './html.js';

const parts = /("(?:\\.|[^"\\\n])*")|(^ *#.*$)/gm;

/** Code with its strings and comments marked, which is what helps to read JSON, JavaScript, GraphQL and commands. */
export const highlighted = (code: string): Html =>
  markedUp(code, parts, ([part, text]) => html`<span class="${text ? 'string' : 'comment'}">${part}</span>`);
