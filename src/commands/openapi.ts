import { openApiDocument } from '../rest/openapi/openApiDocument.js';
import { prepare } from '../rest/prepare.js';
import { storedMutations } from '../rest/storedMutations.js';
import { schema } from '../schema/index.js';

/** The OpenAPI document as it is committed in openapi.json. */
export function openApi(): string {
  const mutations = storedMutations.map((stored) => prepare(schema, stored));
  return `${JSON.stringify(openApiDocument(schema, mutations), null, 2)}\n`;
}
