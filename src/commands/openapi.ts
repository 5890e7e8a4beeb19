import { storedMutations } from '../rest/index.js';
import { openApiDocument } from '../rest/openapi/document.js';
import { schema } from '../schema/index.js';

/** The OpenAPI document as it is committed in openapi.json. */
export const openApi = () => `${JSON.stringify(openApiDocument(schema, storedMutations), null, 2)}\n`;
