import type { GraphQLError } from 'graphql';
import { badInput, type FieldError } from '../failures/index.js';

const capital = /[A-Z]/;

/** `pathToFile` -> `path_to_file`; also for type and enum names. */
export const snakeCase = (name: string) =>
  capital.test(name) ? name.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase() : name;

/** The same value with every key in snake_case, at any depth. */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  const cased: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) cased[snakeCase(key)] = snakeCased(entry);
  return cased;
}

/** The failure with its fields as REST spells them: `input.subscriberIds[2]` -> `subscriber_ids[2]`. */
export function inRestNames(error: GraphQLError): GraphQLError {
  const { code, errors } = error.extensions;
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(errors)) return error;
  return badInput(
    (errors as FieldError[]).map((entry) => ({ ...entry, field: snakeCase(entry.field.replace(/^input\./, '')) })),
  );
}
