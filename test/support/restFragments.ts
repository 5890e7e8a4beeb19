import { Kind, parse, print, separateOperations } from 'graphql';
import { textOf } from './documents.js';

const fragments = parse(textOf('src/rest/fragments.graphql')).definitions.filter(
  (definition) => definition.kind === Kind.FRAGMENT_DEFINITION,
);

/** A document of one operation with the fragments of REST that it uses. */
export function withFragments(document: string): string {
  const definitions = [...parse(document).definitions, ...fragments];
  const [whole] = Object.values(separateOperations({ kind: Kind.DOCUMENT, definitions }));
  if (!whole) throw new Error('the document has no operation');
  return print(whole);
}
