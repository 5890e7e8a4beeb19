import { randomUUID } from 'node:crypto';
import { catalogue } from '../errors/catalogue.js';
import { lazy } from '../platform/caching/index.js';
import { isErrorCode } from '../platform/failures/index.js';
import { publicRoute, type Route } from '../platform/http/index.js';
import { openApiPath } from '../rest/openapi/openApiDocument.js';
import { apiRoot, type PreparedMutation } from '../rest/routes.js';
import { keptPages } from './assetRoutes.js';
import { codeBlock, filterField, filterScript, type Html, html, htmlPage, inline, statusBadge } from './html.js';
import type { PageOptions } from './options.js';
import { additionMark, copyable, copyScript, curlCommand, placeholderBody } from './requests.js';

/** A description in the Markdown that ours use: paragraphs, lists of `- ` lines, and `code`. */
const prose = (markdown: string): Html[] => markdown.split('\n\n').map(block);

function block(text: string): Html {
  if (!text.startsWith('- ')) {
    return html`<p>${inline(text)}</p>
`;
  }
  const items = text.split('\n').map((line) => html`<li>${inline(line.slice(2))}</li>`);
  return html`<ul>${items}</ul>
`;
}

/** The parts of JSON Schema that the OpenAPI document uses. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  const?: string | number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Described {
  description: string;
}

interface PathOperation extends Described {
  operationId: string;
  requestBody: { content: Record<string, Content> };
  responses: Record<string, Response>;
}

type Response = (Described & { content: Record<string, Content> }) & { $ref?: string };

/** The parts of the OpenAPI document that its page shows. */
interface OpenApi {
  info: Described & { version: string };
  paths: Record<string, { post: PathOperation }>;
  components: {
    parameters: Record<string, Described & { name: string }>;
    headers: Record<string, Described>;
    responses: Record<string, Response>;
    schemas: Record<string, Schema>;
  };
}

/** The schema behind a reference, and the name of its component. */
const componentOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/** The fields of an object, each with its type and description. Their ids begin with `anchor`. */
const fieldList = ({ properties = {}, required = [] }: Schema, anchor: string, isInput = false): Html =>
  html`<ul class="fields">
${Object.entries(properties).map(([name, schema]) => {
  const id = `${anchor}.${name}`;
  const flag = isInput && required.includes(name) && html`<span class="flag">required</span>`;
  return html`<li id="${id}"><p><a class="anchor" href="#${id}"><span class="name"><code>${name}</code></span></a> <span class="type">${typeOf(schema)}</span> ${flag}</p>
${schema.description && html`<p>${inline(schema.description)}</p>`}${inlineFields(schema, id)}</li>
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
const recordDetails = (name: string, schema: Schema, label = name, anchor = name): Html =>
  html`<details class="record" id="${anchor}">
<summary>${label}</summary>
<div class="stack">${prose(schema.description ?? '')}</div>
${schema.properties && fieldList(schema, anchor)}
</details>
`;

interface OperationView {
  api: OpenApi;
  mutation: PreparedMutation;
  /** Address of the server for the command. */
  base: string;
}

/** One operation: its request and response on one side, a command and the recorded example on the other. */
function operationSection({ api, mutation, base }: OperationView): Html {
  const { path, title } = mutation;
  const operation = api.paths[path.slice(apiRoot.length)]?.post;
  if (!operation) throw new Error(`the OpenAPI document lacks ${path}`);
  const { operationId: id, description, requestBody, responses } = operation;
  const body = requestBody.content['application/json'];
  const success = responses['200']?.content['application/json'];
  return html`<section class="operation" aria-labelledby="${id}">
<h2 id="${id}"><a class="anchor" href="#${id}">${title}</a></h2>
<p class="method"><span class="badge">POST</span> <code>${path}</code>${additionMark(mutation)}</p>
<div class="sides">
<div>
<div class="prose">${prose(description)}</div>
<div><h3>Request</h3>
${fieldList(resolved(api, body?.schema), `${id}.request`, true)}</div>
<div><h3>Response</h3>
${responseFields(api, resolved(api, success?.schema), `${id}.response`)}</div>
${problemDetails(api, operation)}
</div>
<div>
<div><h3>In a terminal</h3>
${copyable(`${title}, in a terminal`, curlCommand(base + path, placeholderBody(mutation), randomUUID()))}</div>
${success?.example !== undefined && recordedExample(title, body?.example, success.example)}
</div>
</div>
</section>
`;
}

/** What the demo workspace answered to a request, once that is recorded. */
const recordedExample = (title: string, request: unknown, response: unknown): Html => html`<div><h3>On the demo</h3>
${codeBlock(`Example request: ${title}`, JSON.stringify(request, null, 2))}
<details class="response"><summary>Example response</summary>
${codeBlock(`Example response: ${title}`, JSON.stringify(response, null, 2))}
</details></div>`;

const resolved = ({ components }: OpenApi, schema: Schema = {}): Schema =>
  components.schemas[componentOf(schema) ?? ''] ?? schema;

/** Each record of a response, folded. The records in it are at the end of the page. */
const responseFields = (api: OpenApi, { properties = {}, required = [] }: Schema, anchor: string): Html =>
  html`<div class="stack">
${Object.entries(properties).map(([name, schema]) => {
  const named = [schema, ...(schema.oneOf ?? [])].map(componentOf).find((component) => component !== undefined) ?? '';
  const record = api.components.schemas[named] ?? schema;
  const label = required.includes(name) ? name : `${name}, or null`;
  return html`<p>${inline(schema.description ?? '')}</p>
${recordDetails(named, record, label, `${anchor}.${name}`)}`;
})}</div>`;

/** Every problem that the operation may respond with: one table, folded. */
function problemDetails({ components }: OpenApi, { operationId, responses }: PathOperation): Html {
  const codes = Object.values(responses)
    .map((response) => components.responses[componentOf(response) ?? ''] ?? response)
    .flatMap(({ content }) => Object.keys(content['application/problem+json']?.examples ?? {}))
    .filter(isErrorCode);
  return html`<details class="record" id="${operationId}.problems"><summary>Problems <span class="quiet">(${codes.length})</span></summary>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col" class="wide">Title</th></tr></thead>
<tbody>
${codes.map(
  (
    code,
  ) => html`<tr><td>${statusBadge(catalogue[code].status)}</td><td><a href="/errors/${code}"><code>${code}</code></a></td><td class="wide">${catalogue[code].title}</td></tr>
`,
)}</tbody>
</table>
</details>`;
}

/** `/docs`: the OpenAPI document as a page. */
export function referenceRoute({
  openApi,
  mutations,
  publicUrl,
  hasPage,
}: PageOptions & { openApi: () => object }): Route {
  const api = lazy(() => JSON.parse(JSON.stringify(openApi())) as OpenApi);
  const kept = keptPages();
  const render = (base: string) =>
    htmlPage({
      title: 'Reference – Goalpost',
      path: '/docs',
      hasPage,
      modules: [copyScript, '/pages/reveal.js', '/pages/contents.js', filterScript],
      body: page(api(), mutations, base),
    });
  return publicRoute('/docs', (request) => {
    const base = publicUrl || new URL(request.url).origin;
    return kept(base, () => render(base));
  });
}

const page = (
  api: OpenApi,
  mutations: readonly PreparedMutation[],
  base: string,
): Html => html`<main class="reference" id="main">
<nav class="contents" aria-label="On this page">
${filterField('paths, fields, types, codes')}<a href="#basics">Basics</a>
${mutations.map(
  ({ name, title }) => html`<a href="#${name}">${title}</a>
`,
)}<a href="#headers">Headers</a>
<a href="#records">Records</a>
<details><summary>All records</summary>
${recordsOf(api).map(
  ([name]) => html`<a href="#${name}">${name}</a>
`,
)}</details>
</nav>
<div>
<h1 id="basics">REST reference</h1>
<div class="prose">
${prose(api.info.description.split('\n\n').slice(1).join('\n\n'))}
<p>How to find ids, retry and handle errors: <a href="/guide/rest">the guide</a>. For your tools:
<a href="${openApiPath}">the OpenAPI document</a>. The commands read the token from <code>TOKEN</code>.</p>
</div>
${mutations.map((mutation) => operationSection({ api, mutation, base }))}
<section class="operation" aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<h3>Request headers</h3>
${headerList(Object.entries(api.components.parameters))}
<h3>Response headers</h3>
${headerList(Object.entries(api.components.headers))}
</section>
<section class="operation" aria-labelledby="records">
<h2 id="records">Records</h2>
<p>The objects in responses and events. Every field is always present, and null where there is nothing.</p>
${recordsOf(api).map(([name, schema]) => recordDetails(name, schema))}</section>
</div>
</main>`;

/** The records and enums of responses. Inputs are with their operations, problems have pages of their own. */
const recordsOf = ({ components }: OpenApi) =>
  Object.entries(components.schemas)
    .filter(([name]) => !/(Input|Payload|Problem)$/.test(name))
    .sort(([one], [other]) => one.localeCompare(other));

const headerList = (headers: [string, { description: string }][]): Html => html`<ul class="fields">
${headers.map(
  ([
    name,
    { description },
  ]) => html`<li><p><span class="name"><code>${name}</code></span></p><p>${inline(description)}</p></li>
`,
)}</ul>`;
