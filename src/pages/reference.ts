import { isLocal } from '../http/loopback.js';
import type { Route } from '../http/route.js';
import { assetRoutes, ownAsset, vendorAsset } from './assetRoutes.js';
import { type Demo, requests } from './examples.js';
import { html, jsonBlock, page } from './html.js';

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
  ...assetRoutes('/docs', {
    'swagger-ui.js': vendorAsset('swagger-ui.js'),
    'swagger-ui.css': vendorAsset('swagger-ui.css'),
    'page.js': ownAsset('docs.js'),
    'page.css': ownAsset('docs.css'),
  }),
];
