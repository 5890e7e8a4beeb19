/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | Html[] | false | undefined;

/** A template whose values are escaped unless they are HTML themselves; false and undefined leave nothing. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(written)));

function written(value: Value): string {
  if (value === false || value === undefined) return '';
  if (Array.isArray(value)) return value.map(({ text }) => text).join('');
  return value instanceof Html ? value.text : escaped(String(value));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** Data for a page's script, which reads it with JSON.parse: never executed, so the policy stays without exceptions. */
export const jsonBlock = (id: string, data: unknown): Html =>
  new Html(`<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`);
