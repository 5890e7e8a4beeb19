import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { contentRoute, types } from '../http/contentRoute.js';
import type { Route } from '../http/route.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { assetRoutes, ownAsset, vendorAsset } from './assetRoutes.js';
import { type Demo, howToOpenTheDemo, trialFor } from './demo.js';
import { type Html, html, jsonBlock } from './html.js';
import { htmlPage } from './htmlPage.js';

interface GraphiqlOptions {
  schema: GraphQLSchema;
  mutations: readonly PreparedMutation[];
  demo: Demo | undefined;
}

/** GraphiQL for browsers at `/graphql`. This server also serves its files and the schema. */
export const graphiqlRoutes = ({ schema, mutations, demo }: GraphiqlOptions): Route[] => [
  {
    path: '/graphql',
    methods: ['GET'],
    accepts: 'text/html',
    public: true,
    async handle(request) {
      const { token, documents } = await trialFor(request, mutations, demo);
      return htmlPage({
        title: 'GraphiQL – Goalpost',
        styles: ['/graphiql/graphiql.css', '/graphiql/page.css'],
        scripts: ['/graphiql/react.js', '/graphiql/react-dom.js', '/graphiql/graphiql.js', '/graphiql/page.js'],
        inlineStyles: true,
        body: html`<header>
<h1><a href="/">Goalpost</a></h1>
${token ? ready : (demo && howToOpenTheDemo) || howToGetAToken}
</header>
<main id="graphiql" aria-label="GraphiQL"><noscript>GraphiQL needs JavaScript.</noscript></main>
${jsonBlock('settings', {
  demo: token !== undefined,
  headers: JSON.stringify({ Authorization: `Bearer ${token ?? 'API_TOKEN'}` }, null, 2),
  queries: documents,
})}`,
      });
    },
  },
  ...assetRoutes('/graphiql', {
    'react.js': vendorAsset('react.js'),
    'react-dom.js': vendorAsset('react-dom.js'),
    'graphiql.js': vendorAsset('graphiql.js'),
    'graphiql.css': vendorAsset('graphiql.css'),
    'page.css': ownAsset('graphiql.css'),
    'page.js': ownAsset('graphiql.js'),
  }),
  contentRoute('/graphiql/schema.json', types.json, () => JSON.stringify({ data: introspectionFromSchema(schema) })),
];

const ready: Html = html`<p>Demo workspace: its token is in the Headers pane. Pick a tab and run it.</p>`;

const howToGetAToken: Html = html`<p>Put a token into the Headers pane. To create one, run this on the server:
<code>npx goalpost token create --person PERSON_ID --name GraphiQL --write</code></p>`;
