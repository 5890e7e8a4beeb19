/** `pathToFile` -> `path_to_file`; also for type and enum names. */
export const snakeCase = (name: string) => name.replace(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();

/** The same value with every key in snake_case, at any depth. */
export function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [snakeCase(key), snakeCased(entry)]));
}
