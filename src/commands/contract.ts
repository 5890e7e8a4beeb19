import { openApiDocument } from '../rest/openapi/openApiDocument.js';
import { prepare, storedMutations } from '../rest/routes.js';
import { schema, sdl } from '../schema/index.js';

/** The GraphQL schema as it is committed in schema.graphql. */
export const graphqlSchema = () => sdl();

/** The OpenAPI document as it is committed in openapi.json. */
export function openApi(): string {
  const mutations = storedMutations.map((stored) => prepare(schema, stored));
  return `${JSON.stringify(openApiDocument(schema, mutations), null, 2)}\n`;
}
