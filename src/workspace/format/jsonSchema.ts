import * as z from 'zod';
import { unwrap } from '../rows.js';
import { type FormatSchema, said } from './fields.js';
import { workspace } from './workspace.js';

/**
 * The import format as a JSON Schema (2020-12), for editors. It says all of the format that a schema can: references
 * between records, keys that may occur once in a list and the order of versions are checked by the import alone.
 */
export const workspaceSchema = (): FormatSchema =>
  z.toJSONSchema(workspace, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const { description } = z.globalRegistry.get(unwrap(zodSchema)) ?? {};
      // At the field itself, where editors look for it, and not only inside an `anyOf`.
      if (description !== undefined) jsonSchema.description ??= description;
      Object.assign(jsonSchema, said.get(zodSchema));
    },
  });
