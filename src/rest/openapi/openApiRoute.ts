import { contentRoute, types } from '../../http/contentRoute.js';
import type { Route } from '../../http/route.js';
import { apiRoot } from '../apiRoot.js';

export const openApiPath = `${apiRoot}/openapi.json`;

/** Serves the OpenAPI document without a token: with the paths that it describes, and where tools look for it. */
export function openApiRoutes(openApi: () => object): Route[] {
  const json = () => JSON.stringify(openApi());
  const yaml = async () => (await import('yaml')).stringify(openApi(), { aliasDuplicateObjects: false });
  return [
    contentRoute(openApiPath, types.json, json),
    contentRoute('/openapi.json', types.json, json),
    contentRoute('/openapi.yaml', types.yaml, yaml),
  ];
}
