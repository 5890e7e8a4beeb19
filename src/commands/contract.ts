import { openApiDocument } from '../rest/openapi/openApiDocument.js';
import { preparedMutations } from '../rest/routes.js';
import { schema } from '../schema.js';

export function openApi(): string {
  return `${JSON.stringify(openApiDocument(schema, preparedMutations(schema)), null, 2)}\n`;
}
