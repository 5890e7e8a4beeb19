import { openApiDocument } from '../rest/openapi/openApiDocument.js';
import { prepare, storedMutations } from '../rest/routes.js';
import { schema } from '../schema.js';

export function openApi(): string {
  const mutations = storedMutations.map((stored) => prepare(schema, stored));
  return `${JSON.stringify(openApiDocument(schema, mutations), null, 2)}\n`;
}
