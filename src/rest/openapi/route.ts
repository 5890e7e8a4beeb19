import type { GraphQLSchema } from 'graphql';
import { fixedContent } from '../../http/content.js';
import type { Route } from '../../http/route.js';
import type { StoredMutation } from '../storedMutation.js';
import { apiRoot, openApiDocument } from './document.js';

/** Where the OpenAPI document is read; no token needed. */
export const openApiPath = `${apiRoot}/openapi.json`;

export function openApiRoute(schema: GraphQLSchema, mutations: readonly StoredMutation[], publicUrl = ''): Route {
  const text = JSON.stringify(openApiDocument(schema, mutations, publicUrl));
  const handle = fixedContent(text, { 'Content-Type': 'application/json' });
  return { path: openApiPath, methods: ['GET', 'HEAD'], public: true, handle };
}
