import { createHash } from 'node:crypto';
import { lazy } from '../caching/index.js';
import { failure } from '../failures/index.js';
import type { RequestContext } from './requestContext.js';
import { cachedResponse, type HttpResponse, jsonResponse } from './response.js';
import type { PublicRoute, Route } from './router.js';

/** A route that anybody may read, without a token. */
export const publicRoute = (
  path: string,
  handle: PublicRoute['handle'],
  more: Partial<PublicRoute> = {},
): PublicRoute => ({
  path,
  methods: ['GET', 'HEAD'],
  public: true,
  handle,
  ...more,
});

/** Redirects browsers from a path for programs to the page about it. For programs, nothing changes. */
export const leadsTo = (page: string, path: string): Route =>
  publicRoute(path, () => ({ status: 303, headers: { Location: page } }), { leadsTo: page, accepts: 'text/html' });

interface Health {
  isStopping: () => boolean;
  isReady: (context: RequestContext) => Promise<boolean>;
}

/**
 * `/healthz` returns 200 while the process runs, `/readyz` if the gateway is ready for requests, and `/readyz/shutdown`
 * unless it stops: a proxy may leave it out for that alone, as all gateways have the same database.
 */
export function healthRoutes({ isStopping, isReady }: Health): Route[] {
  const route = (path: string, check: Health['isReady'], body: object) => {
    const handle: PublicRoute['handle'] = async (_request, context) => {
      if (!(await check(context))) throw failure('SERVICE_UNAVAILABLE');
      return jsonResponse(body);
    };
    return publicRoute(path, handle, { unlimited: true });
  };
  return [
    route('/healthz', async () => true, { status: 'ok' }),
    route('/readyz', async (context) => !isStopping() && (await isReady(context)), { status: 'ok', database: 'ok' }),
    route('/readyz/shutdown', async () => !isStopping(), { status: 'ok' }),
  ];
}

const contentTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  yml: 'application/yaml; charset=utf-8',
  graphql: 'text/plain; charset=utf-8',
  ts: 'text/plain; charset=utf-8',
  sql: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  ico: 'image/svg+xml',
  png: 'image/png',
};

/** A route for public content that never changes, loaded once. The extension of the path decides the `Content-Type`. */
export function contentRoute(path: string, load: () => string | Promise<string | Buffer>): Route {
  const type = contentTypes[path.slice(path.lastIndexOf('.') + 1)];
  if (!type) throw new Error(`the content of ${path} has no known type`);
  const content = lazy(() => prepare(type, load));
  return publicRoute(path, async (request) => {
    const response = await content();
    if (!isFresh(request.headers.get('if-none-match'), response.headers.ETag)) return response;
    const { body: _, ...unchanged } = response;
    return { ...unchanged, status: 304 };
  });
}

/** The ETag is weak, because both encodings share it. */
async function prepare(type: string, load: () => string | Promise<string | Buffer>): Promise<HttpResponse> {
  const body = Buffer.from(await load());
  const headers = {
    ETag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    'Cache-Control': 'public, no-cache',
    'Content-Type': type,
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
  return cachedResponse({ status: 200, headers, body });
}

// Our ETags contain no comma, so splitting is enough. The packages `fresh` and `negotiator` would save no line here.
const isFresh = (ifNoneMatch: string | null, etag: string | undefined): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || `W/${tag.trim().replace(/^W\//, '')}` === etag);
