import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import { fileUrl } from '../files.js';

const text = readFileSync(fileUrl('rest/fragments.graphql'), 'utf8');

/** The definitions in `fragments.graphql`, by name. */
const fragments = new Map(
  parse(text).definitions.flatMap((definition) =>
    definition.kind === Kind.FRAGMENT_DEFINITION
      ? [[definition.name.value, text.slice(definition.loc?.start, definition.loc?.end)]]
      : [],
  ),
);

/** Adds the definitions of all fragments that the document uses, directly or through others. */
export function withFragments(document: string): string {
  const used = new Map<string, string>();
  const collect = (selection: string) => {
    for (const [, name = ''] of selection.matchAll(/\.\.\.(\w+)/g)) {
      const definition = fragments.get(name);
      // Validation reports a fragment that does not exist.
      if (definition === undefined || used.has(name)) continue;
      used.set(name, definition);
      collect(definition);
    }
  };
  collect(document);
  return [document, ...used.values()].join('\n');
}
