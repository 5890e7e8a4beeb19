import { type Html, html } from '../html.js';

/** A description in the Markdown that ours use: paragraphs, lists of `- ` lines, and `code`. */
export const prose = (markdown: string): Html[] => markdown.split('\n\n').map(block);

function block(text: string): Html {
  if (!text.startsWith('- ')) {
    return html`<p>${inline(text)}</p>
`;
  }
  const items = text.split('\n').map((line) => html`<li>${inline(line.slice(2))}</li>`);
  return html`<ul>${items}</ul>
`;
}

/** Text with its `code`. */
export const inline = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
