import { nearestPath } from './nearestPath.js';
import type { RequestHead } from './requestHead.js';
import type { Route } from './route.js';

/** Where a request leads. */
export interface Location {
  path: string;
  /** The address without the trailing slash, if the request has one too many. */
  redirect: string | undefined;
  /** The routes of the path for this client, whatever their methods. */
  candidates: Route[];
  route: Route | undefined;
}

/** Finds the routes of requests. `guide` is the page about the paths below one that is not a page itself. */
export function locator(routes: Route[], guide: string) {
  const byPath = new Map(routes.map(({ path }) => [path, routes.filter((route) => route.path === path)]));
  const routesOf = (path: string) => byPath.get(path) ?? [];
  /** The routes for this client: programs do not find routes that are only for browsers. */
  const routesFor = (request: RequestHead, path: string) =>
    routesOf(path).filter(({ accepts }) => !accepts || wantsPage(request));
  const memorable = [...new Set(routes.filter(({ isFile, leadsTo }) => !isFile && !leadsTo).map(({ path }) => path))];

  function nearestTo(path: string): string | undefined {
    const folder = path.replace(/\/?$/, '/');
    return nearestPath(path, memorable) ?? (memorable.some((each) => each.startsWith(folder)) ? guide : undefined);
  }

  /** The path without its trailing slash, if that is a route (`/docs/` becomes `/docs`), and its routes. */
  function locate(request: RequestHead): Location {
    const { pathname, search } = new URL(request.url);
    const shorter = pathname.replace(/(?<=.)\/$/, '');
    const path = routesFor(request, shorter).length > 0 ? shorter : pathname;
    const candidates = routesFor(request, path);
    const route = candidates.find(({ methods }) => methods.includes(request.method));
    return { path, redirect: path === pathname ? undefined : path + search, candidates, route };
  }

  return { routesOf, locate, nearestTo };
}

/** Whether to respond with a page. A client that names JSON gets JSON, even if it accepts pages too. */
export function wantsPage(request: RequestHead): boolean {
  const accept = request.headers.get('accept') ?? '';
  return ['GET', 'HEAD'].includes(request.method) && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept);
}
