import type { Route } from '../http/route.js';
import { apiRoot } from '../rest/apiRoot.js';
import { openApiPath } from '../rest/openapi/openApiRoute.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { assetRoutes, ownAsset, vendorAsset } from './assetRoutes.js';
import { type Demo, trialFor } from './demo.js';
import { html, jsonBlock } from './html.js';
import { htmlPage } from './htmlPage.js';

interface ReferenceOptions {
  mutations: readonly PreparedMutation[];
  demo: Demo | undefined;
}

/** `/docs`: the OpenAPI document in Swagger UI, all served from here. On the demo's machine it is ready to try. */
export const referenceRoutes = ({ mutations, demo }: ReferenceOptions): Route[] => [
  {
    path: '/docs',
    methods: ['GET', 'HEAD'],
    public: true,
    async handle(request) {
      const { token, requests } = await trialFor(request, mutations, demo);
      return htmlPage({
        title: 'REST API – Goalpost',
        styles: ['/docs/swagger-ui.css', '/docs/page.css'],
        scripts: ['/docs/swagger-ui.js', '/docs/page.js'],
        dataImages: true,
        body: html`<main id="docs"><noscript>This page needs JavaScript; <a href="${openApiPath}">the
OpenAPI document</a> does not.</noscript></main>
${jsonBlock('settings', { url: openApiPath, root: apiRoot, token: token ?? null, requests: token ? requests : [] })}`,
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
