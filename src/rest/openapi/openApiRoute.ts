import type { GraphQLSchema } from 'graphql';
import { contentRoute, types } from '../../http/contentRoute.js';
import type { Route } from '../../http/route.js';
import { apiRoot } from '../apiRoot.js';
import type { PreparedMutation } from '../prepare.js';
import { openApiDocument } from './openApiDocument.js';

export const openApiPath = `${apiRoot}/openapi.json`;

/** Serves the OpenAPI document, without a token. */
export const openApiRoute = (
  schema: GraphQLSchema,
  mutations: readonly PreparedMutation[],
  publicUrl?: string,
): Route => contentRoute(openApiPath, types.json, () => JSON.stringify(openApiDocument(schema, mutations, publicUrl)));
