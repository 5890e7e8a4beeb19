import { randomUUID } from 'node:crypto';
import {
  type HttpResponse,
  publicRoute,
  type RequestContext,
  type RequestHead,
  type Route,
} from '../platform/http/index.js';
import { shellWord } from '../platform/settings/index.js';
import { openApiPath } from '../rest/openapi/openApiDocument.js';
import type { PreparedMutation } from '../rest/routes.js';
import { version } from '../version.js';
import { keptPages } from './assetRoutes.js';
import { type Demo, type DemoKey, demoFor, howToOpenTheDemo, type ShownDemo } from './demoAccess.js';
import { domain } from './domain.js';
import { type HasPage, type Html, html, htmlPage, jsonBlock, type PageLink, pageLinks } from './html.js';
import type { PageOptions } from './options.js';
import { additionMark, copyable, copyScript, curlCommand, demoRequest, placeholderBody } from './requests.js';

interface StartOptions extends PageOptions {
  isReady: (context: RequestContext) => Promise<boolean>;
}

/** `/`: what Goalpost is, whether it is ready, links to everything, and requests to run on the demo. */
export function startRoute(options: StartOptions): Route {
  const { isReady, publicUrl, demo } = options;
  const kept = keptPages();
  return publicRoute('/', async (request, context) => {
    const redirect = demo && opened(request, demo.key);
    if (redirect) return redirect;
    const ready = await isReady(context);
    const { origin } = new URL(request.url);
    const shown = await demoFor(request, ready ? demo : undefined);
    if (shown) return render(shown, ready, origin, options);
    const base = publicUrl || origin;
    return kept(`${ready} ${base}`, () => render(undefined, ready, base, options));
  });
}

/** The response to the start address: the cookie, if the secret is right, and the page without the secret in its URL. */
function opened(request: RequestHead, key: DemoKey): HttpResponse | undefined {
  if (!new URL(request.url).searchParams.has('demo')) return undefined;
  const cookie = key.cookieFor(request);
  return { status: 303, headers: { Location: '/', ...(cookie && { 'Set-Cookie': cookie }) } };
}

function render(shown: ShownDemo | undefined, ready: boolean, base: string, options: StartOptions): HttpResponse {
  const { demo, hasPage, mutations, mcp } = options;
  const bodies = mutations.map((mutation) => shown && demoRequest(mutation, shown));
  const requests = mutations.map(({ path }, index) => ({ path, body: bodies[index] }));
  return htmlPage({
    title: 'Goalpost',
    path: '/',
    hasPage,
    modules: ['/pages/start.js', copyScript],
    body: html`<main id="main">
<h1>Goalpost</h1>
<p class="lead">An API to reopen goals, delete and recover files, and restore document versions, over REST and GraphQL${mcp && html`, and for agents over the Model Context Protocol at <code>/mcp</code>`}.</p>
<dl class="facts">
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Database</dt><dd class="${ready ? 'ready' : 'down'}">${ready ? 'Ready' : 'Cannot be reached'}${
      demo ? ', demo workspace' : ''
    }</dd></div>
</dl>
${domain(hasPage)}<section aria-labelledby="try">
<h2 id="try">Try it</h2>
<div class="stack">
${shown ? demoToken(shown.token) : placeholdersOnly(demo)}
${mutations.map((mutation, index) => requestBlock(mutation, base, bodies[index], shown !== undefined))}
${hasPage('/graphql') && html`<p>The same and more in GraphQL: each query, preview and mutation is an example in <a href="/graphql">GraphiQL</a>.</p>`}
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
${jsonBlock('settings', { token: shown?.token ?? null, requests })}`,
  });
}

const demoToken = (
  token: string,
): Html => html`<p>The requests work as they are on the demo workspace. Run them here, or
copy them into a terminal after this line:</p>
${copyable('the demo’s token', `export TOKEN=${token}`)}
${ofKeys}`;

const placeholdersOnly = (
  demo: Demo | undefined,
): Html => html`<p>${demo && howToOpenTheDemo} In a terminal, the requests
read the token from <code>TOKEN</code>: <code>export TOKEN=gp_…</code> To create one, run on the server:
<code>npx goalpost token create --person PERSON_ID --name "Trying it" --write</code></p>
${ofKeys}`;

const ofKeys: Html = html`<p>Each request has an <code>Idempotency-Key</code> of its own: sent twice, it changes something once. Another
change needs another key.</p>`;

/** What comes after the request of an operation on the demo. */
const onward: Record<string, Html> = {
  reopenGoal: html`Run it again, and nothing changes: the goal is open. The goal <code>goal-website-refresh</code> is closed
too.`,
  deleteResourceHubFile: html`Run it again, and it fails: the file is gone. The last request on this page brings it back.`,
  restoreDocumentVersion: html`Run it again, and it fails: its document has a new version, which is not the expected one.
Load the page again, and the request takes this restore back.`,
  recoverResourceHubFile: html`It brings back what the request to delete has deleted. Run it again, and nothing changes.`,
  undoChange: html`The ID of the latest change is the first that <code>activities</code> lists in GraphQL.`,
};

/** A request as a command and, on the demo, to run. */
function requestBlock(mutation: PreparedMutation, base: string, body: object | undefined, isDemo: boolean): Html {
  const { name, title, path } = mutation;
  const command = curlCommand(base + path, { ...(body ?? placeholderBody(mutation)) }, randomUUID());
  return html`<div class="example" id="${name}">
<h3>${title}${additionMark(mutation)}</h3>
${copyable(title, command)}
${
  body
    ? html`<p><button type="button" class="run" hidden aria-label="Run: ${title}">Run</button> <span class="quiet">${onward[name]}</span></p>
<div class="result"></div>`
    : isDemo && html`<p class="quiet">${onward[name]}</p>`
}
</div>
`;
}

const card = ({ path, name, about }: PageLink): Html => html`<li><a href="${path}">${name}</a><p>${about}</p></li>
`;

const listening = (base: string): Html => html`<p class="tools">To see each change as it happens, run in a terminal:
<code>curl -N ${shellWord(`${base}/graphql`)} -H "Authorization: Bearer $TOKEN" -H 'Accept: text/event-stream'
-H 'Content-Type: application/json' -d '{"query": "subscription { events { type sequence } }"}'</code></p>`;

const forTools = (
  hasPage: HasPage,
): Html => html`<p class="tools">For your tools: <a href="${openApiPath}">OpenAPI document</a>,
<a href="/schema.graphql" download="schema.graphql">GraphQL schema</a>, <a href="/readyz">health check</a>${hasPage('/guide/agents') && html`, <a href="/guide/agents">connecting an agent</a>`}</p>`;
