import { z } from 'zod';
import { workspace } from './format/workspace.js';
import { unwrap } from './problems.js';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The import format as a JSON Schema (2020-12), for editors. It describes the shape of the file; references between
 * records and rules across fields are checked by the import alone.
 */
export const workspaceSchema = (): JsonSchema =>
  z.toJSONSchema(workspace, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      describe(zodSchema, jsonSchema);
      if (jsonSchema.type === 'string') forEditors(jsonSchema);
    },
  });

/** Puts a description at the field itself, where editors look for it, and not only inside an `anyOf`. */
function describe(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema): void {
  const { description } = z.globalRegistry.get(unwrap(zodSchema)) ?? {};
  if (description !== undefined) jsonSchema.description ??= description;
}

function forEditors(schema: JsonSchema): void {
  // A generated id differs each time, so it is not a default for editors.
  if (!schema.enum) delete schema.default;
  // Editors check formats themselves, but accept any time zone, and some do not support Unicode classes.
  if (schema.format === 'date-time') schema.pattern = 'Z$';
  else if (schema.format === 'date' || schema.pattern?.includes('\\p{')) delete schema.pattern;
}
