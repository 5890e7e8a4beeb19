import type { GraphQLSchema } from 'graphql';
import { contentRoute, types } from '../../http/contentRoute.js';
import type { Route } from '../../http/route.js';
import type { StoredMutation } from '../storedMutation.js';
import { apiRoot, openApiDocument } from './document.js';

/** The OpenAPI document; no token needed. */
export const openApiRoute = (schema: GraphQLSchema, mutations: readonly StoredMutation[], publicUrl?: string): Route =>
  contentRoute(`${apiRoot}/openapi.json`, types.json, () =>
    JSON.stringify(openApiDocument(schema, mutations, publicUrl)),
  );
