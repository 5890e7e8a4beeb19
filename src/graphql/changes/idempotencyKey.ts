import { createHash } from 'node:crypto';
import { type ExecutionArgs, type OperationDefinitionNode, print } from 'graphql';
import { badInput } from '../../errors/failures.js';
import { perOperation } from '../perOperation.js';
import type { OperationContext } from '../plugin.js';

const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const bare = /^[!#-+\--~]+$/;

/** Reads the key: 1 to 255 printable ASCII characters, quoted as in the IETF draft (`"…"`) or bare. Throws 400. */
export function readKey(header: string): string {
  const key = quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? (bare.test(header) ? header : '');
  if (key.length === 0 || key.length > 255) {
    throw badKey(
      'must be one key of 1 to 255 printable ASCII characters, in double quotes if it has a space or a comma',
    );
  }
  return key;
}

/** SHA-256 of the request: document and variables for GraphQL; only the input for REST, whose documents are our own. */
export function fingerprintOf(
  { document, operationName, variableValues }: ExecutionArgs,
  operation: OperationDefinitionNode,
  surface: OperationContext['surface'],
) {
  const source = surface === 'REST' ? surface : [digestOf(operation, document), operationName ?? null];
  return Uint8Array.from(sha256(JSON.stringify([source, sorted(variableValues)])));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Of the document as it is printed, so that spaces and comments do not matter. */
const digestOf = perOperation((_operation, document) => sha256(print(document)).toString('base64'));

/** The JSON with the keys of every object sorted, so that their order does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, entry]) => [name, sorted(entry)]);
}

export const badKey = (message: string) => badInput([{ field: 'Idempotency-Key', code: 'invalid', message }]);
