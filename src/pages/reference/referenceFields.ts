import { type Html, html } from '../html.js';
import type { Schema } from './openApiTypes.js';
import { inline, prose } from './prose.js';

/** The schema behind a reference, and the name of its component. */
export const componentOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** The fields of an object, each with its type and description. Their ids begin with `anchor`. */
export const fieldList = ({ properties = {}, required = [] }: Schema, anchor: string, isInput = false): Html =>
  html`<ul class="fields">
${Object.entries(properties).map(([name, schema]) => {
  const id = `${anchor}.${name}`;
  const flag = isInput && required.includes(name) && html`<span class="flag">required</span>`;
  const old = schema.deprecated && html` <span class="badge client">deprecated</span>`;
  return html`<li id="${id}"><p><a class="anchor" href="#${id}"><span class="name"><code>${name}</code></span></a> <span class="type">${typeOf(schema)}</span> ${flag}${old}</p>
<p>${inline(schema.description ?? '')}</p>${inlineFields(schema, id)}</li>
`;
})}</ul>`;

/** The fields of a record that has no name of its own. */
function inlineFields(schema: Schema, anchor: string): Html | undefined {
  const record = [schema, schema.items].find((each) => each?.properties);
  return record && fieldList(record, anchor);
}

/** A type as people say it: `string or null`, `list of Person`, with its bounds and a link to its record. */
function typeOf(schema: Schema): Html {
  const component = componentOf(schema);
  if (component) return html`<a href="#${component}">${component}</a>`;
  const [only] = (schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (only) return html`${typeOf(only)} or null`;
  const types = [schema.type ?? 'any'].flat();
  const names = types.map((type) => {
    if (type === 'array') return html`list of ${listed(schema.items ?? {})}`;
    if (type === 'string' && schema.format) return html`${formats[schema.format] ?? type}`;
    return html`${type === 'object' ? 'record' : type}`;
  });
  return html`${names.flatMap((name, index) => (index === 0 ? [name] : [html` or `, name]))}${bounds(schema)}`;
}

/** The type of a list's items, of which there are several. */
const listed = (items: Schema): Html => (items.type === 'string' ? html`strings` : typeOf(items));

const formats: Record<string, string> = { 'date-time': 'time', date: 'date' };

const counted = new Intl.NumberFormat('en');

function bounds({ const: value, minimum, maximum, maxLength, maxItems }: Schema): string {
  const said = [
    value !== undefined && `always ${value}`,
    minimum !== undefined && minimum > 0 && `at least ${minimum}`,
    // The largest integers that a field can hold are no news to its reader.
    maximum !== undefined && maximum < 2 ** 31 - 1 && `at most ${counted.format(maximum)}`,
    maxLength !== undefined && `at most ${counted.format(maxLength)} characters`,
    maxItems !== undefined && `at most ${counted.format(maxItems)}`,
  ].filter((part) => part !== false);
  return said.map((part) => `, ${part}`).join('');
}

/** A folded record with its fields, or an enum with its values. */
export const recordDetails = (name: string, schema: Schema, label = name, anchor = name): Html =>
  html`<details class="record" id="${anchor}">
<summary>${label}</summary>
<div class="stack">${prose(schema.description ?? '')}</div>
${schema.properties && fieldList(schema, anchor)}
</details>
`;
