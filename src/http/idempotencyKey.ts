import { createHash } from 'node:crypto';
import { type ExecutionArgs, print } from 'graphql';
import { badInput } from '../errors/failures.js';

const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const bare = /^[!#-+\--~]+$/;

/** The key: a structured string (`"…"`) as the IETF draft has it, or the same characters bare; 1 to 255 of them. */
export function readKey(header: string): string {
  const key = quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? (bare.test(header) ? header : '');
  if (key.length === 0 || key.length > 255) {
    throw badKey('must be one key of 1 to 255 printable ASCII characters, quoted or bare');
  }
  return key;
}

/** What is asked: for GraphQL the document and its variables, for REST, whose documents are our own, the input. */
export function fingerprintOf({ document, operationName, variableValues }: ExecutionArgs, query: string | undefined) {
  const asked = query === undefined ? 'REST' : [print(document), operationName ?? null];
  return Uint8Array.from(
    createHash('sha256')
      .update(JSON.stringify([asked, sorted(variableValues)]))
      .digest(),
  );
}

/** The same JSON with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, entry]) => [name, sorted(entry)]);
}

export const badKey = (message: string) => badInput([{ field: 'Idempotency-Key', code: 'invalid', message }]);
