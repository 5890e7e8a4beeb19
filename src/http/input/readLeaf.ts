import { GraphQLInt, type GraphQLLeafType } from 'graphql';
import type { FieldError } from '../../errors/failures.js';
import { shortened } from '../../errors/quoted.js';
import type { Spelling } from './spelling.js';

/** The bounds of a field. */
export interface Constraints {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

/** Reads a value as a scalar or an enum, and adds what is wrong with it to the errors. */
export function readLeaf(
  type: GraphQLLeafType,
  value: unknown,
  field: string,
  { minimum, maximum, maxLength }: Constraints,
  spelling: Spelling,
  errors: FieldError[],
): unknown {
  const fail = (code: FieldError['code'], message: string) => void errors.push({ field, code, message });
  const expected = { ID: 'a string', String: 'a string', Int: 'an integer', Float: 'a number', Boolean: 'a boolean' }[
    type.name
  ];
  if (spelling.strict && type.name === 'ID' && typeof value !== 'string') {
    return fail('type', `must be a string, not ${kindOf(value)}`);
  }
  if (type === GraphQLInt && typeof value === 'number' && Number.isInteger(value)) {
    if (value < (minimum ?? -(2 ** 31))) return fail('too_small', `must be at least ${minimum ?? -(2 ** 31)}`);
    if (value > (maximum ?? 2 ** 31 - 1)) return fail('too_large', `must be at most ${maximum ?? 2 ** 31 - 1}`);
  }
  if (type.name === 'String' && typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) {
      return fail('invalid', 'must not contain NUL or a lone surrogate');
    }
    if (maxLength !== undefined && isLonger(value, maxLength)) {
      return fail('too_long', `must have at most ${maxLength} characters`);
    }
  }
  try {
    return type.parseValue(value);
  } catch (error) {
    return fail('type', expected ? `must be ${expected}, not ${kindOf(value)}` : shortened((error as Error).message));
  }
}

/** Whether a text has more characters (code points), of which each has one or two units. */
const isLonger = (text: string, most: number) =>
  text.length > most && (text.length > 2 * most || [...text].length > most);

/** What a value is, for a message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' ? `the number ${value}` : `a ${typeof value}`;
}
