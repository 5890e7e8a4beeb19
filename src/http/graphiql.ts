import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { type Demo, examples, placeholders } from './examples.js';
import { isLocal } from './loopback.js';
import { type Html, html, jsonBlock, page } from './page.js';
import type { Route } from './route.js';
import { contentRoute, publicFile, staticRoutes, types } from './staticFiles.js';

const { resolve } = createRequire(import.meta.url);
const packaged = (name: string, file: string) => join(dirname(resolve(`${name}/package.json`)), file);

// Fonts and icons that are data: URLs, which the policy refuses; the system's fonts do. 75 % of the file.
const embedded = /@font-face\s*\{[^}]*\}|background-image:url\(data:[^)]*\);?/g;

interface Options {
  schema: GraphQLSchema;
  demo: (() => Promise<Demo>) | undefined;
}

/** GraphiQL for browsers at `/graphql`, with its files and the schema, all from here. */
export const graphiqlRoutes = ({ schema, demo }: Options): Route[] => [
  {
    path: '/graphql',
    methods: ['GET'],
    accepts: 'text/html',
    public: true,
    async handle(request) {
      const live = isLocal(request) ? await demo?.() : undefined;
      return page({
        title: 'GraphiQL – Goalpost',
        styles: ['/graphiql/graphiql.css', '/graphiql/page.css'],
        scripts: ['/graphiql/react.js', '/graphiql/react-dom.js', '/graphiql/graphiql.js', '/graphiql/page.js'],
        inlineStyles: true,
        body: html`<header>
<h1><a href="/">Goalpost</a></h1>
${live ? ready : howToGetAToken}
</header>
<main id="graphiql" aria-label="GraphiQL"><noscript>GraphiQL needs JavaScript.</noscript></main>
${jsonBlock('settings', {
  demo: live !== undefined,
  headers: JSON.stringify({ Authorization: `Bearer ${live?.token ?? 'API_TOKEN'}` }, null, 2),
  queries: examples.map((example) => example(live?.ids ?? placeholders)),
})}`,
      });
    },
  },
  ...staticRoutes('/graphiql', {
    'react.js': { path: packaged('react', 'umd/react.production.min.js'), type: types.script },
    'react-dom.js': { path: packaged('react-dom', 'umd/react-dom.production.min.js'), type: types.script },
    'graphiql.js': { path: packaged('graphiql', 'graphiql.min.js'), type: types.script },
    'graphiql.css': {
      path: packaged('graphiql', 'graphiql.min.css'),
      type: types.style,
      without: embedded,
    },
    'page.css': { path: publicFile('graphiql.css'), type: types.style },
    'page.js': { path: publicFile('graphiql.js'), type: types.script },
  }),
  contentRoute('/graphiql/schema.json', types.json, () => JSON.stringify({ data: introspectionFromSchema(schema) })),
];

const ready: Html = html`<p>Demo workspace: the Headers pane holds its token. Pick a tab and run it.</p>`;

const howToGetAToken: Html = html`<p>Put a token into the Headers pane. To create one, where the server runs:
<code>npx goalpost token create --person PERSON_ID --name GraphiQL --write</code></p>`;
