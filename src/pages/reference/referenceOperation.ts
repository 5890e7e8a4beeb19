import { catalogue, isErrorCode } from '../../errors/catalogue.js';
import { apiRoot } from '../../rest/apiRoot.js';
import { exampleBlock } from '../exampleBlock.js';
import { highlighted } from '../highlighted.js';
import { type Html, html } from '../html.js';
import { statusBadge } from '../statusBadge.js';
import type { ExampleRequest } from '../workedExamples.js';
import type { OpenApi, Operation, Schema } from './openApiTypes.js';
import { inline, prose } from './prose.js';
import { componentOf, fieldList, recordDetails } from './referenceFields.js';

interface OperationView {
  api: OpenApi;
  request: ExampleRequest;
  /** Address of the server for the samples. */
  base: string;
}

/** One operation: its request and response on one side, an example to run on the other. */
export function operationSection({ api, request, base }: OperationView): Html {
  const operation = api.paths[request.path.slice(apiRoot.length)]?.post;
  if (!operation) throw new Error(`the OpenAPI document lacks ${request.path}`);
  const { operationId: id, description, requestBody, responses, deprecated } = operation;
  const input = resolved(api, requestBody.content['application/json']?.schema);
  const success = responses['200']?.content['application/json'];
  return html`<section class="operation" aria-labelledby="${id}">
<h2 id="${id}"><a class="anchor" href="#${id}">${request.title}</a></h2>
<p class="method"><span class="badge">POST</span> <code>${request.path}</code>${deprecated && html` <span class="badge client">deprecated</span>`}</p>
<div class="sides">
<div>
<div class="prose">${prose(withoutErrors(description))}</div>
<div><h3>Request</h3>
${fieldList(input, `${id}.request`, true)}</div>
<div><h3>Response</h3>
${responseFields(api, resolved(api, success?.schema), `${id}.response`)}</div>
${problemDetails(operation)}
</div>
<div>
${exampleBlock(request, base, html`<h3>Try it</h3>`)}
${bodyEditor(request)}
<details class="response"><summary>Example response</summary>
<pre tabindex="0" role="region" aria-label="Example response: ${request.title}"><code>${highlighted(JSON.stringify(success?.example, null, 2))}</code></pre>
</details>
</div>
</div>
</section>
`;
}

const resolved = ({ components }: OpenApi, schema: Schema = {}): Schema =>
  components.schemas[componentOf(schema) ?? ''] ?? schema;

/** The table of problems says it better. */
const withoutErrors = (description: string) => description.replace(/ Errors: [A-Z_, ]+\./, '');

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

/** The body that Run sends, to change before it does. Only a script can send it. */
const bodyEditor = ({ name, title, body }: ExampleRequest): Html => html`<details class="needs-script" hidden>
<summary>Change the request</summary>
<p><label for="${name}-body">The JSON that Run sends</label></p>
<p><textarea id="${name}-body" spellcheck="false" aria-label="Body of: ${title}">${JSON.stringify(body, null, 2)}</textarea></p>
</details>`;

/** Every problem that the operation may respond with: one table, folded. */
function problemDetails({ operationId, responses }: Operation): Html {
  const codes = Object.values(responses)
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
