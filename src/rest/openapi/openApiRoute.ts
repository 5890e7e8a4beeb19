import { contentRoute, types } from '../../http/contentRoute.js';
import type { Route } from '../../http/route.js';
import { apiRoot } from '../apiRoot.js';

export const openApiPath = `${apiRoot}/openapi.json`;

/** Serves the OpenAPI document without a token: with the paths that it describes, and where tools look for it. */
export function openApiRoutes(openApi: () => object): Route[] {
  const json = () => JSON.stringify(openApi());
  // YAML 1.1, which many tools still use, reads a string such as 2026-03-31 as a date unless it is quoted.
  const options = { aliasDuplicateObjects: false, compat: 'yaml-1.1' };
  // CommonJS that is loaded when it is needed has nothing but its default once it is bundled.
  const yaml = async () => (await import('yaml')).default.stringify(openApi(), options);
  return [
    contentRoute(openApiPath, types.json, json),
    contentRoute('/openapi.json', types.json, json),
    contentRoute('/openapi.yaml', types.yaml, yaml),
  ];
}
