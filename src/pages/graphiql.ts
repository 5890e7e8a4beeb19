import { readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  introspectionFromSchema,
  isInputObjectType,
  type NamedTypeNode,
  parse,
  print,
  typeFromAST,
} from 'graphql';
import { fileUrl } from '../fileSystem.js';
import { operationDocuments } from '../mcp/documents.js';
import { capitalized } from '../operations/declaration.js';
import {
  contentRoute,
  type HttpResponse,
  publicRoute,
  type RequestHead,
  type Route,
  snakeCase,
} from '../platform/http/index.js';
import { assetRoutes, keptPages, ownAsset, vendorAsset } from './assetRoutes.js';
import { type Demo, demoFor, howToOpenTheDemo, type ShownDemo } from './demoAccess.js';
import { type Html, html, htmlPage, jsonBlock } from './html.js';
import type { PageOptions } from './options.js';
import { demoRequest, placeholders } from './requests.js';

interface GraphiqlOptions extends PageOptions {
  schema: GraphQLSchema;
}

/** GraphiQL for browsers at `/graphql`. This server also serves its files and the schema. */
export function graphiqlRoutes(options: GraphiqlOptions): Route[] {
  const { schema, demo } = options;
  const kept = keptPages();
  const handle = async (request: RequestHead) => {
    const shown = await demoFor(request, demo);
    return shown ? render(shown, options) : kept('', () => render(undefined, options));
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

/** The examples that no operation declares, separated by empty lines. */
const others = readFileSync(fileUrl('pages/queries.graphql'), 'utf8')
  .trim()
  .split(/\n{2,}/);

/** Records of the demo, for the variables of the examples. */
const ofDemo: Record<string, string> = {
  goalId: 'goal-launch-mobile-app',
  fileId: 'file-launch-film',
  documentId: 'doc-launch-plan',
  spaceId: 'space-digital',
  resourceHubId: 'hub-digital',
  folderId: 'folder-planning',
};

interface WorkedDocument {
  query: string;
  variables: Record<string, unknown>;
}

/** An operation or its preview as an example, after what the schema says of it. */
function exampleOf(schema: GraphQLSchema, document: DocumentNode): string {
  const [, kind = '', field = ''] = /^(query|mutation) (\w+)/.exec(print(document)) ?? [];
  const { description } =
    (kind === 'query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[field] ?? {};
  const comment = description?.replace(/(.{1,58})(?: |$)/g, '# $1\n');
  return `${comment}${print(document).replace(` ${field}`, ` ${capitalized(field)}`)}`;
}

/** The worked examples: on the demo with its records, with placeholders for what it lacks. */
function workedDocuments({ schema, mutations }: GraphiqlOptions, shown: ShownDemo | undefined): WorkedDocument[] {
  const inputOf = (type: GraphQLInputObjectType) => {
    const mutation = mutations.find(({ name }) => type.name.toLowerCase().endsWith(`${name.toLowerCase()}input`));
    if (!mutation) throw new Error(`GraphiQL has no example of ${type.name}`);
    const body = shown && demoRequest(mutation, shown);
    if (!body) return placeholders(type, mutation);
    const fields = Object.keys(type.getFields()).filter((name) => snakeCase(name) in body);
    return Object.fromEntries(fields.map((name) => [name, body[snakeCase(name)]]));
  };
  const ids = shown ? ofDemo : {};
  const declared = operationDocuments(schema).map((document) => exampleOf(schema, document));
  return [...others, ...declared].map((query) => {
    const variables = getOperationAST(parse(query))?.variableDefinitions ?? [];
    const values = variables.map(({ variable: { name }, type }): [string, unknown] => {
      const given = getNullableType(typeFromAST(schema, type as NamedTypeNode));
      return [
        name.value,
        isInputObjectType(given) ? inputOf(given) : (ids[name.value] ?? snakeCase(name.value).toUpperCase()),
      ];
    });
    return { query, variables: Object.fromEntries(values) };
  });
}

function render(shown: ShownDemo | undefined, options: GraphiqlOptions): HttpResponse {
  const { demo, hasPage } = options;
  const queries = workedDocuments(options, shown);
  return htmlPage({
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
${exampleMenu(queries)}
<button type="button" class="copy" hidden aria-label="Copy link to this query">Copy link</button><a class="hint" href="/guide/graphql">How to query</a><code id="link" class="unseen"></code>
${shown ? ready : ownToken(demo)}
</div>
<div id="graphiql"><noscript>GraphiQL needs JavaScript.</noscript></div>
</main>
${jsonBlock('settings', { token: shown?.token ?? null, queries })}`,
  });
}

/** The examples by what they do. The script reads their documents from the settings, by position. */
function exampleMenu(documents: WorkedDocument[]): Html {
  const named = documents.map(({ query }, index) => ({ index, ...operationOf(query) }));
  const group = (label: string, belongs: (kind: string, name: string) => boolean) =>
    html`<optgroup label="${label}">${named
      .filter(({ kind, name }) => belongs(kind, name))
      .map(({ index, name }) => html`<option value="${index}">${name}</option>`)}</optgroup>
`;
  const isPreview = (name: string) => name.startsWith('Preview');
  const isOfHub = (name: string) => /Hub|File/.test(name);
  const isOfWebhook = (name: string) => name.includes('Webhook');
  const isRead = (kind: string, name: string) => kind === 'query' && !isPreview(name) && !isOfWebhook(name);
  return html`<label><span>Example</span><select id="examples"><option value="">Choose…</option>
${group('Read goals, people and events', (kind, name) => isRead(kind, name) && !isOfHub(name))}${group(
  'Read hubs, files and documents',
  (kind, name) => isRead(kind, name) && isOfHub(name),
)}${group('Listen', (kind) => kind === 'subscription')}${group('See what a change would do', (_, name) =>
  isPreview(name),
)}${group('Change something', (kind, name) => kind === 'mutation' && !isOfWebhook(name))}${group(
  'Webhooks',
  (_, name) => isOfWebhook(name),
)}</select></label>`;
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
