import type { Route } from '../../http/route.js';
import { openApiPath } from '../../rest/openapi/openApiRoute.js';
import type { PreparedMutation } from '../../rest/prepare.js';
import { type Demo, type Trial, trialFor, trialForStrangers } from '../demo.js';
import { examplesData, examplesScript } from '../exampleBlock.js';
import { filterField, filterScript } from '../filterField.js';
import { type Html, html } from '../html.js';
import { type HasPage, htmlPage } from '../htmlPage.js';
import { KeptPages } from '../keptPages.js';
import { tokenField } from '../tokenField.js';
import type { OpenApi } from './openApiTypes.js';
import { inline, prose } from './prose.js';
import { recordDetails } from './referenceFields.js';
import { operationSection } from './referenceOperation.js';

interface ReferenceOptions {
  /** Makes the OpenAPI document. */
  openApi: () => object;
  mutations: readonly PreparedMutation[];
  publicUrl: string | undefined;
  demo: Demo | undefined;
  hasPage: HasPage;
}

/** `/docs`: the OpenAPI document as a page. On the demo's machine its requests run. */
export function referenceRoutes({ openApi, mutations, publicUrl, demo, hasPage }: ReferenceOptions): Route[] {
  let read: OpenApi | undefined;
  const kept = new KeptPages();
  const render = (trial: Trial, base: string) => {
    read ??= JSON.parse(JSON.stringify(openApi())) as OpenApi;
    return htmlPage({
      title: 'Reference – Goalpost',
      path: '/docs',
      hasPage,
      modules: [examplesScript, '/pages/reveal.js', '/pages/contents.js', filterScript],
      body: page(read, trial, base, demo),
    });
  };
  return [
    {
      path: '/docs',
      methods: ['GET', 'HEAD'],
      public: true,
      async handle(request) {
        const { origin } = new URL(request.url);
        const trial = await trialFor(request, mutations, demo);
        if (trial) return render(trial, origin);
        const base = publicUrl || origin;
        return kept.page(base, async () => render(await trialForStrangers(mutations), base));
      },
    },
  ];
}

const page = (
  api: OpenApi,
  trial: Trial,
  base: string,
  demo: Demo | undefined,
): Html => html`<main class="reference" id="main">
<nav class="contents" aria-label="On this page">
${filterField('paths, fields, types, codes')}<a href="#basics">Basics</a>
${trial.requests.map(
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
<p>For your tools: <a href="${openApiPath}">the OpenAPI document</a>.</p>
${tokenField(trial, demo)}
</div>
${trial.requests.map((request) => operationSection({ api, request, base }))}
<section class="operation" aria-labelledby="headers">
<h2 id="headers">Headers</h2>
<h3>Request headers</h3>
${headerList(Object.entries(api.components.parameters))}
<h3>Response headers</h3>
${headerList(Object.entries(api.components.headers))}
</section>
<section class="operation" aria-labelledby="records">
<h2 id="records">Records</h2>
<p>The objects in responses. Every field is always present, and null where there is nothing.</p>
${recordsOf(api).map(([name, schema]) => recordDetails(name, schema))}</section>
</div>
</main>
${examplesData(trial, base)}`;

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
