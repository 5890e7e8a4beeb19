/** Text that is already HTML. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | Html[] | false | undefined;

/** An HTML template. Escapes every value that is not HTML itself, and omits false and undefined. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(toHtml)));

function toHtml(value: Value): string {
  if (value === false || value === undefined) return '';
  if (Array.isArray(value)) return value.map(({ text }) => text).join('');
  return value instanceof Html ? value.text : escapeHtml(String(value));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** Data that a page's script reads with JSON.parse. Browsers never execute it, so the policy needs no exception. */
export const jsonBlock = (id: string, data: unknown): Html =>
  new Html(`<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`);
