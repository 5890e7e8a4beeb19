import { Kind, parse, print } from 'graphql';
import { withUsed } from '../../src/rest/storedMutation.js';
import { textOf } from './documents.js';

const fragments = parse(textOf('src/rest/fragments.graphql')).definitions.filter(
  (definition) => definition.kind === Kind.FRAGMENT_DEFINITION,
);

/** A document of one operation with the fragments of REST that it uses. */
export function withFragments(document: string): string {
  const [operation] = parse(document).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the document begins with no operation');
  return print(withUsed(operation, fragments));
}
