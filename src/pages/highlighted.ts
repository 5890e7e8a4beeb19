import { codeMarks } from './assets/codeMarks.js';
import { type Html, html, markedUp } from './html.js';

/** Code with its strings and comments marked. */
export const highlighted = (code: string): Html =>
  markedUp(code, codeMarks, ([part, text]) => html`<span class="${text ? 'string' : 'comment'}">${part}</span>`);
