import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { contentRoute, type HttpResponse, publicRoute, type Route } from '../platform/http/index.js';
import { type Demo, howToOpenTheDemo, trialFor, trialForStrangers } from './demo.js';
import type { Trial, WorkedDocument } from './examples.js';
import { assetRoutes, KeptPages, ownAsset, vendorAsset } from './files.js';
import { type HasPage, type Html, html, htmlPage, jsonBlock } from './html.js';
import type { ShownMutation } from './operationExamples.js';

interface GraphiqlOptions {
  schema: GraphQLSchema;
  mutations: readonly ShownMutation[];
  demo: Demo | undefined;
  hasPage: HasPage;
}

/** GraphiQL for browsers at `/graphql`. This server also serves its files and the schema. */
export function graphiqlRoutes(options: GraphiqlOptions): Route[] {
  const { schema, mutations, demo } = options;
  const kept = new KeptPages();
  const handle: Route['handle'] = async (request) => {
    const trial = await trialFor(request, mutations, demo);
    return trial
      ? render(trial, options)
      : kept.page('', async () => render(await trialForStrangers(mutations), options));
  };
  return [
    publicRoute('/graphql', handle, { accepts: 'text/html' }),
    ...assetRoutes('/graphiql', {
      'react.js': vendorAsset('react.js'),
      'react-dom.js': vendorAsset('react-dom.js'),
      'graphiql.js': vendorAsset('graphiql.js'),
      'graphiql.css': vendorAsset('graphiql.css'),
      'eventsource-parser.js': vendorAsset('eventsource-parser.js'),
    }),
    ...assetRoutes('/pages', {
      'graphiql.css': ownAsset('graphiql.css'),
      'graphiql.js': ownAsset('graphiql.js'),
      'liveResponses.js': ownAsset('liveResponses.js'),
    }),
    contentRoute('/graphiql/schema.json', () => JSON.stringify({ data: introspectionFromSchema(schema) })),
  ];
}

const render = ({ token, documents }: Trial, { demo, hasPage }: GraphiqlOptions): HttpResponse =>
  htmlPage({
    title: 'GraphiQL – Goalpost',
    path: '/graphql',
    hasPage,
    styles: ['/graphiql/graphiql.css', '/pages/graphiql.css'],
    scripts: ['/graphiql/react.js', '/graphiql/react-dom.js', '/graphiql/graphiql.js'],
    modules: ['/pages/graphiql.js'],
    inlineStyles: true,
    isApplication: true,
    body: html`<main id="main">
<h1 class="unseen">GraphiQL</h1>
<div class="toolbar">
${exampleMenu(documents)}
<button type="button" class="copy" hidden aria-label="Copy link to this query">Copy link</button><a class="hint" href="/guide/graphql">How to query</a><code id="link" class="unseen"></code>
${token ? ready : ownToken(demo)}
</div>
<div id="graphiql"><noscript>GraphiQL needs JavaScript.</noscript></div>
</main>
${jsonBlock('settings', { token: token ?? null, queries: documents })}`,
  });

/** The examples by what they do. The script reads their documents from the settings, by position. */
function exampleMenu(documents: WorkedDocument[]): Html {
  const named = documents.map(({ query }, index) => ({ index, ...operationOf(query) }));
  const group = (label: string, belongs: (kind: string, name: string) => boolean) =>
    html`<optgroup label="${label}">${named
      .filter(({ kind, name }) => belongs(kind, name))
      .map(({ index, name }) => html`<option value="${index}">${name}</option>`)}</optgroup>
`;
  const isPreview = (name: string) => name.startsWith('Preview');
  return html`<label><span>Example</span><select id="examples"><option value="">Choose…</option>
${group('Read', (kind, name) => kind === 'query' && !isPreview(name))}${group(
  'Listen',
  (kind) => kind === 'subscription',
)}${group('See what a change would do', (_, name) =>
  isPreview(name),
)}${group('Change something', (kind) => kind === 'mutation')}</select></label>`;
}

function operationOf(text: string): { kind: string; name: string } {
  const [, kind = '', name = ''] = /^(query|mutation|subscription) (\w+)/m.exec(text) ?? [];
  return { kind, name };
}

const ready: Html = html`<p class="hint">Requests are sent with the demo’s token.</p>`;

const ownToken = (demo: Demo | undefined): Html => html`<label><span>API token</span><input type="password" id="token"
autocomplete="off" placeholder="gp_…"></label>
<span id="token-outcome" class="quiet" role="status"></span>
<p class="hint">${demo && howToOpenTheDemo} The token stays in this tab. To create one, run on the server:
<code>npx goalpost token create --person PERSON_ID --name GraphiQL --write</code></p>`;
