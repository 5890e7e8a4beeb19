import { z } from 'zod';
import { marks } from './format/fields.js';
import { pathName, quote, unwrap } from './problems.js';
import type { Table } from './tables.js';

/** The path of each value that must be unique: column (`goals.id`) -> value -> path. */
export type Identities = Map<string, Map<string, Path>>;

type Path = (string | number)[];
type Reference = { refersTo: Table; value: string; path: Path };

/**
 * Collects the ids in the document, and the problems with them and with the references to them. The rest of the
 * document may be invalid.
 */
export function findReferences(schema: z.ZodType, document: unknown): { identities: Identities; problems: string[] } {
  const identities: Identities = new Map();
  const references: Reference[] = [];
  const problems: string[] = [];

  const visit = (wrapped: z.core.$ZodType, value: unknown, path: Path): void => {
    const schema = unwrap(wrapped);
    if (schema instanceof z.ZodArray && Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(schema.element, item, [...path, index]);
    } else if (schema instanceof z.ZodObject && value !== null && typeof value === 'object') {
      for (const [key, field] of Object.entries<z.core.$ZodType>(schema.shape))
        if (Object.hasOwn(value, key)) visit(field, (value as Record<string, unknown>)[key], [...path, key]);
    } else if (schema instanceof z.ZodString && typeof value === 'string') {
      const mark = marks.get(schema);
      if (mark && 'refersTo' in mark) references.push({ ...mark, value, path });
      else if (mark) identify(`${mark.table}.${mark.column}`, value, path);
    }
  };

  const identify = (column: string, value: string, path: Path): void => {
    const known = identities.get(column) ?? new Map<string, Path>();
    identities.set(column, known);
    const earlier = known.get(value);
    if (earlier) problems.push(`${pathName(path)}: ${quote(value)} is the same as ${pathName(earlier)}`);
    else known.set(value, path);
  };

  visit(schema, document, []);
  for (const { refersTo, value, path } of references) {
    if (identities.get(`${refersTo}.id`)?.has(value)) continue;
    const other = [...identities].find(([column, known]) => column.endsWith('.id') && known.has(value));
    const hint = other ? `, it is the id of ${pathName(other[1].get(value) as Path).replace(/\.id$/, '')}` : '';
    problems.push(
      `${pathName(path)}: nothing in ${refersTo.replace('resource_hub_', '')} has the id ${quote(value)}${hint}`,
    );
  }
  return { identities, problems };
}
