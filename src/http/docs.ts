import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Demo, requests } from './examples.js';
import { isLocal } from './loopback.js';
import { html, jsonBlock, page } from './page.js';
import type { Route } from './route.js';
import { publicFile, staticRoutes, types } from './staticFiles.js';

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** `/docs`: the OpenAPI document in Swagger UI, all of it from here. Where the demo is one's own, it is ready to try. */
export const docsRoutes = (demo?: () => Promise<Demo>): Route[] => [
  {
    path: '/docs',
    methods: ['GET', 'HEAD'],
    public: true,
    async handle(request) {
      const live = isLocal(request) ? await demo?.() : undefined;
      return page({
        title: 'REST API – Goalpost',
        styles: ['/docs/swagger-ui.css', '/docs/page.css'],
        scripts: ['/docs/swagger-ui.js', '/docs/page.js'],
        dataImages: true,
        body: html`<main id="docs"><noscript>This page needs JavaScript; <a href="/api/external/v1/openapi.json">the
OpenAPI document</a> does not.</noscript></main>
${jsonBlock('settings', { token: live?.token ?? null, requests: live ? requests(live.ids) : [] })}`,
      });
    },
  },
  ...staticRoutes('/docs', {
    'swagger-ui.js': { path: join(swaggerUi, 'swagger-ui-bundle.js'), type: types.script },
    'swagger-ui.css': { path: join(swaggerUi, 'swagger-ui.css'), type: types.style },
    'page.js': { path: publicFile('docs.js'), type: types.script },
    'page.css': { path: publicFile('docs.css'), type: types.style },
  }),
];
