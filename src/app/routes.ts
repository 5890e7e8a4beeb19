import type { ExecuteDocument } from '../graphql/graphql.js';
import { contentRoute, types } from '../http/contentRoute.js';
import { healthRoutes, responds } from '../http/health.js';
import { leadsTo } from '../http/leadsTo.js';
import type { Route } from '../http/route.js';
import type { Demo } from '../pages/demo.js';
import { errorPages } from '../pages/errorPages.js';
import { examplesRoute } from '../pages/examplesRoute.js';
import { graphiqlRoutes } from '../pages/graphiql.js';
import { noPage } from '../pages/noPage.js';
import { referenceRoutes } from '../pages/reference/reference.js';
import { sharedFiles } from '../pages/sharedFiles.js';
import { startRoute } from '../pages/start.js';
import { apiRoot } from '../rest/apiRoot.js';
import { openApiDocument } from '../rest/openapi/openApiDocument.js';
import { openApiRoutes } from '../rest/openapi/openApiRoute.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { restRoutes } from '../rest/routes.js';
import { schema } from '../schema/index.js';
import { sdl } from '../schema/sdl.js';
import type { AppOptions } from './options.js';

interface RouteNeeds extends Pick<AppOptions, 'db'> {
  publicUrl: string | undefined;
  bodyLimit: number;
  graphiql: boolean;
  stopping: AbortSignal | undefined;
  mutations: PreparedMutation[];
  execute: ExecuteDocument;
  demo: Demo | undefined;
}

/** Every path that the gateway serves, and the page for those that it does not. */
export function appRoutes({ db, publicUrl, bodyLimit, graphiql, demo, stopping, mutations, execute }: RouteNeeds) {
  const openApi = () => openApiDocument(schema, mutations, publicUrl);
  const hasPage = (path: string) => routes.some((route) => route.path === path && route.public && !route.leadsTo);
  const pages = { mutations, publicUrl, hasPage, demo };
  const routes: Route[] = [
    ...healthRoutes(db, stopping),
    ...restRoutes(mutations, { schema, bodyLimit, execute }),
    ...referenceRoutes({ ...pages, openApi }),
    examplesRoute(mutations, execute),
    ...errorPages(pages),
    ...openApiRoutes(openApi),
    startRoute({ ...pages, isReady: ({ scope }) => responds(db.within(scope)) }),
    ...sharedFiles(),
    ...(graphiql ? graphiqlRoutes({ ...pages, schema }) : [leadsTo('/', '/graphql')]),
    leadsTo('/docs', apiRoot),
    contentRoute('/schema.graphql', types.text, sdl),
    { path: '/graphql', methods: ['GET', 'POST'] },
  ];
  return { routes, noPage: noPage(pages) };
}
