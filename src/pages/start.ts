import type { Route } from '../http/route.js';
import { openApiPath } from '../rest/openapi/openApiRoute.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { version } from '../version.js';
import { assetRoutes, ownAsset } from './assetRoutes.js';
import { type CurlCommand, curlCommands } from './curl.js';
import { type Demo, howToOpenTheDemo, trialFor } from './demo.js';
import type { DemoKey } from './demoKey.js';
import { type Html, html } from './html.js';
import { htmlPage } from './htmlPage.js';

interface StartOptions {
  isReady: () => Promise<boolean>;
  mutations: readonly PreparedMutation[];
  /** Address of this server as its callers see it. If undefined, the page shows the one that the browser used. */
  publicUrl: string | undefined;
  demo: Demo | undefined;
  /** Whether a public route answers at the path. The page links to no other path. */
  hasPage: (path: string) => boolean;
}

interface Link {
  path: string;
  name: string;
  about: string;
  /** File name for a download. If omitted, the browser opens the link. */
  file?: string;
}

const links: Link[] = [
  { path: '/graphql', name: 'GraphiQL', about: 'Run queries and mutations in the browser, with worked examples.' },
  { path: '/docs', name: 'REST reference', about: 'Every REST path, to read and to try.' },
  { path: openApiPath, name: 'OpenAPI document', about: 'The REST paths for your tools, as JSON.' },
  { path: '/errors', name: 'Errors', about: 'What each error code means, and what to do about it.' },
  {
    path: '/schema.graphql',
    name: 'GraphQL schema',
    about: 'The whole schema with its documentation, as SDL.',
    file: 'schema.graphql',
  },
  { path: '/readyz', name: 'Health', about: 'Whether the gateway and its database answer.' },
];

/** `/`: what Goalpost is, whether it is ready, links to everything, and commands to try. */
export const startRoutes = (options: StartOptions): Route[] => [
  {
    path: '/',
    methods: ['GET', 'HEAD'],
    public: true,
    handle: (request) => (options.demo && opened(request, options.demo.key)) ?? startPage(request, options),
  },
  ...assetRoutes('/pages', {
    'icon.svg': ownAsset('icon.svg'),
    'start.css': ownAsset('start.css'),
    'start.js': ownAsset('start.js'),
  }),
];

/** The answer to the start address: the cookie, if the secret is right, and the page without the secret in its URL. */
function opened(request: Request, key: DemoKey): Response | undefined {
  if (!new URL(request.url).searchParams.has('demo')) return undefined;
  const cookie = key.cookieFor(request);
  return new Response(null, { status: 303, headers: { Location: '/', ...(cookie && { 'Set-Cookie': cookie }) } });
}

async function startPage(
  request: Request,
  { isReady, mutations, publicUrl, demo, hasPage }: StartOptions,
): Promise<Response> {
  const ready = await isReady();
  const { token, requests } = await trialFor(request, mutations, ready ? demo : undefined);
  const base = (!token && publicUrl) || new URL(request.url).origin;
  const commands = curlCommands(base, token, requests);
  return htmlPage({
    title: 'Goalpost',
    styles: ['/pages/start.css'],
    scripts: ['/pages/start.js'],
    body: html`<header>
<h1>Goalpost</h1>
<p>A GraphQL gateway with a thin REST facade for goals, resource hub files and document versions.</p>
<dl>
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Database</dt><dd class="${ready ? 'ready' : 'down'}">${ready ? 'Ready' : 'Cannot be reached'}${
      demo ? ', demo workspace' : ''
    }</dd></div>
</dl>
</header>
<main>
<section aria-labelledby="explore">
<h2 id="explore">Explore</h2>
<ul class="links">
${links.filter(({ path }) => hasPage(path)).map(linkItem)}
</ul>
</section>
<section aria-labelledby="try">
<h2 id="try">Try it</h2>
${token ? html`<p>These commands work as they are, on the demo workspace. Reload the page for new ones.</p>` : howToGetAToken(demo)}
${commands.map(commandBlock)}
<p id="copied" role="status"></p>
</section>
</main>`,
  });
}

const linkItem = ({ path, name, about, file }: Link): Html =>
  html`<li><a href="${path}"${file && html` download="${file}"`}>${name}</a> <code>${path}</code><p>${about}</p></li>
`;

const commandBlock = ({ title, lines }: CurlCommand, index: number): Html =>
  html`<div class="command">
<h3 id="command-${index}">${title}</h3>
<button type="button" hidden aria-label="Copy: ${title}">Copy</button>
<pre tabindex="0" role="region" aria-labelledby="command-${index}"><code>${lines.join(' \\\n  ')}</code></pre>
</div>
`;

const howToGetAToken = (demo: Demo | undefined): Html =>
  html`${demo && howToOpenTheDemo}<p>Create a token on the server. It acts for one person and is shown only once:</p>
<pre tabindex="0" role="region" aria-label="How to create a token"><code>npx goalpost token create --person PERSON_ID --name "Trying it" --write</code></pre>
<p>Then <code>export TOKEN=gp_…</code>, and put your own ids into the commands.</p>`;
