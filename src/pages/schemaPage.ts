import type { Route } from '../http/route.js';
import { filterField, filterScript } from './filterField.js';
import { type Html, html, markedUp } from './html.js';
import { type HasPage, htmlPage } from './htmlPage.js';
import { KeptPages } from './keptPages.js';

/** `/schema`: the GraphQL schema to read. Each type has an address, and every mention of it leads there. */
export function schemaPage(sdl: () => string, hasPage: HasPage): Route {
  const kept = new KeptPages();
  const render = () =>
    htmlPage({
      title: 'Schema – Goalpost',
      path: '/schema',
      hasPage,
      modules: ['/pages/reveal.js', filterScript],
      body: html`<main id="main">
<h1>GraphQL schema</h1>
<p class="lead">Every type and field, as SDL. For your tools: <a href="/schema.graphql" download="schema.graphql">schema.graphql</a>.</p>
${filterField('types and fields')}<section class="schema">
${definitions(sdl())}</section>
</main>`,
    });
  return {
    path: '/schema',
    methods: ['GET', 'HEAD'],
    public: true,
    handle: () => kept.page('', render),
  };
}

const definition = /^(type|interface|union|enum|input|scalar) (\w+)/m;

/** One folded part for each definition; the roots come first and are open. */
function definitions(sdl: string): Html[] {
  const parts = sdl
    .trim()
    .split(/\n\n(?=\S)/)
    .map((text) => ({ text, name: definition.exec(text)?.[2] ?? '' }));
  const names = new Set(parts.map(({ name }) => name));
  const isRoot = ({ name }: { name: string }) => name === 'Query' || name === 'Mutation';
  return [...parts.filter(isRoot), ...parts.filter((part) => !isRoot(part))].map(
    (part) => html`<details id="${part.name}"${isRoot(part) && html` open`}>
<summary><code>${definition.exec(part.text)?.[0] ?? 'schema'}</code></summary>
<pre tabindex="0" role="region" aria-label="${part.name}"><code>${linked(part.text, names)}</code></pre>
</details>
`,
  );
}

/** The head of a definition, each of its fields, and its end. */
const partsOf = (text: string) => text.split(/(?<=^\w.*\{\n)|(?<=\n\n)(?= {2}\S)|(?<=\n)(?=\}$)/m);

/** SDL with its fields apart, its descriptions marked, and each type linked to its definition. */
const linked = (text: string, names: ReadonlySet<string>): Html[] =>
  partsOf(text).map((part) =>
    part.startsWith(' ') ? html`<span class="field">${lines(part, names)}</span>` : html`${lines(part, names)}`,
  );

/** A line that wraps keeps its indent. */
function lines(part: string, names: ReadonlySet<string>): Html[] {
  let isInDescription = false;
  return part.split(/(?<=\n)/).map((line) => {
    const quotes = line.split('"""').length - 1;
    const isDescription = isInDescription || quotes > 0;
    if (quotes === 1) isInDescription = !isInDescription;
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    const kind = isDescription ? 'line comment' : 'line';
    return html`<span class="${kind} indent-${indent}">${isDescription ? line : withLinks(line, names)}</span>`;
  });
}

const withLinks = (line: string, names: ReadonlySet<string>): Html =>
  markedUp(line, /(?<=: \[*)\w+/g, ([part]) =>
    names.has(part) ? html`<a href="#${part}">${part}</a>` : html`${part}`,
  );
