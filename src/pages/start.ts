import {
  type HttpResponse,
  publicRoute,
  type RequestContext,
  type RequestHead,
  type Route,
} from '../platform/http/index.js';
import { openApiPath } from '../rest/openapi/openApiDocument.js';
import type { Config } from '../settings.js';
import { version } from '../version.js';
import { shellQuoted } from './assets/samples.js';
import { type Demo, type DemoKey, tokenField, trialFor, trialForStrangers } from './demo.js';
import { domain } from './domain.js';
import { additionMark, exampleBlock, examplesData, examplesScript, type Trial } from './examples.js';
import { KeptPages } from './files.js';
import { type HasPage, type Html, html, htmlPage, type PageLink, pageLinks } from './html.js';
import type { ShownMutation } from './operationExamples.js';

interface StartOptions extends Pick<Config, 'publicUrl'> {
  isReady: (context: RequestContext) => Promise<boolean>;
  mutations: readonly ShownMutation[];
  demo: Demo | undefined;
  hasPage: HasPage;
}

/** `/`: what Goalpost is, whether it is ready, links to everything, and requests to try. */
export function startRoute(options: StartOptions): Route {
  const kept = new KeptPages();
  return publicRoute(
    '/',
    (request, context) =>
      (options.demo && opened(request, options.demo.key)) ?? startPage(request, context, kept, options),
  );
}

/** The response to the start address: the cookie, if the secret is right, and the page without the secret in its URL. */
function opened(request: RequestHead, key: DemoKey): HttpResponse | undefined {
  if (!new URL(request.url).searchParams.has('demo')) return undefined;
  const cookie = key.cookieFor(request);
  return { status: 303, headers: { Location: '/', ...(cookie && { 'Set-Cookie': cookie }) } };
}

async function startPage(
  request: RequestHead,
  context: RequestContext,
  kept: KeptPages,
  options: StartOptions,
): Promise<HttpResponse> {
  const { isReady, mutations, publicUrl, demo } = options;
  const ready = await isReady(context);
  const { origin } = new URL(request.url);
  const trial = await trialFor(request, mutations, ready ? demo : undefined);
  if (trial) return render(trial, ready, origin, options);
  const base = publicUrl || origin;
  return kept.page(`${ready} ${base}`, async () => render(await trialForStrangers(mutations), ready, base, options));
}

const render = (trial: Trial, ready: boolean, base: string, { demo, hasPage }: StartOptions): HttpResponse =>
  htmlPage({
    title: 'Goalpost',
    path: '/',
    hasPage,
    modules: [examplesScript],
    body: html`<main id="main">
<h1>Goalpost</h1>
<p class="lead">An API to reopen goals, delete and recover files, and restore document versions, over REST and GraphQL.</p>
<dl class="facts">
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Database</dt><dd class="${ready ? 'ready' : 'down'}">${ready ? 'Ready' : 'Cannot be reached'}${
      demo ? ', demo workspace' : ''
    }</dd></div>
</dl>
${domain(hasPage)}<section aria-labelledby="try">
<h2 id="try">Try it</h2>
<div class="stack">
${tokenField(trial, demo)}
${trial.requests.map((each) => exampleBlock(each, base, html`<h3>${each.title}${additionMark(each)}</h3>`))}
</div>
</section>
<section aria-labelledby="explore">
<h2 id="explore">Explore</h2>
<ul class="cards">
${pageLinks.filter(({ path }) => hasPage(path)).map(card)}</ul>
${forTools(hasPage)}
${listening(base)}
</section>
</main>
${examplesData(trial, base)}`,
  });

const card = ({ path, name, about }: PageLink): Html => html`<li><a href="${path}">${name}</a><p>${about}</p></li>
`;

const listening = (base: string): Html => html`<p class="tools">To see each change as it happens, run in a terminal:
<code>curl -N ${shellQuoted(`${base}/graphql`)} -H "Authorization: Bearer $TOKEN" -H 'Accept: text/event-stream'
-H 'Content-Type: application/json' -d '{"query": "subscription { events { type sequence } }"}'</code></p>`;

const forTools = (
  hasPage: HasPage,
): Html => html`<p class="tools">For your tools: <a href="${openApiPath}">OpenAPI document</a>,
<a href="/schema.graphql" download="schema.graphql">GraphQL schema</a>, <a href="/readyz">health check</a>${hasPage('/guide/agents') && html`, <a href="/guide/agents">connecting an agent</a>`}</p>`;
