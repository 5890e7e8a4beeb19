import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { closestMatch } from 'leven';
import { type FieldError, mostNamed, quoted, shortened } from '../failures/index.js';
import { snakeCase } from '../http/index.js';

/** How a surface spells input: GraphQL in camelCase with GraphQL's coercions, REST in snake_case without coercions. */
interface Spelling {
  nameOf: (graphqlName: string) => string;
  strict: boolean;
}

export const graphqlSpelling: Spelling = { nameOf: (name) => name, strict: false };

/** Names as REST spells them. */
export const restSpelling: Spelling = { nameOf: snakeCase, strict: true };

/** An input without the fields that HTTP has headers for, as their `extensions.header` says. */
export function bodyOf(type: GraphQLInputObjectType): GraphQLInputObjectType {
  const { fields, ...config } = type.toConfig();
  const inBody = Object.entries(fields).filter(([, { extensions }]) => extensions?.header === undefined);
  return new GraphQLInputObjectType({ ...config, fields: Object.fromEntries(inBody) });
}

interface Constraints {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

const ranges: Record<string, { minimum: number; maximum: number }> = {
  Int: { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  SafeInt: { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};

const expectations: Record<string, string> = {
  ID: 'a string',
  String: 'a string',
  Int: 'an integer',
  SafeInt: 'an integer',
  Float: 'a number',
  Boolean: 'a boolean',
};

function readLeaf(
  type: GraphQLLeafType,
  value: unknown,
  field: string,
  { minimum, maximum, maxLength }: Constraints,
  spelling: Spelling,
  errors: FieldError[],
): unknown {
  const fail = (code: FieldError['code'], message: string) => void errors.push({ field, code, message });
  const expected = expectations[type.name];
  if (spelling.strict && type.name === 'ID' && typeof value !== 'string') {
    return fail('type', `must be a string, not ${kindOf(value)}`);
  }
  // As a number, it would be another ID.
  if (type.name === 'ID' && typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return fail('type', 'must be a string: a number this large is not read exactly');
  }
  // graphql-js would look for a name that is like it.
  if (isEnumType(type) && typeof value === 'string' && !type.getValue(value)) {
    return fail(
      'type',
      `must be one of ${type
        .getValues()
        .map(({ name }) => name)
        .join(', ')}, not ${quoted(value)}`,
    );
  }
  const range = ranges[type.name];
  if (range && typeof value === 'number' && Number.isInteger(value)) {
    const { minimum: least, maximum: most } = {
      ...range,
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    };
    if (value < least) return fail('too_small', `must be at least ${least}`);
    if (value > most) return fail('too_large', `must be at most ${most}`);
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

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' ? `the number ${value}` : `a ${typeof value}`;
}

/** Reads a value as an input type and collects what is wrong, up to what a response lists. Names in the value are GraphQL's. */
export function readInput(
  type: GraphQLInputType,
  value: unknown,
  spelling: Spelling,
  field = '',
  constraints: Constraints = {},
): { value: unknown; errors: FieldError[] } {
  const errors: FieldError[] = [];
  return { value: read(type, value, field, constraints, spelling, errors), errors };
}

function read(
  type: GraphQLInputType,
  value: unknown,
  field: string,
  constraints: Constraints,
  spelling: Spelling,
  errors: FieldError[],
): unknown {
  if (isNonNullType(type)) {
    if (value !== null) return read(type.ofType, value, field, constraints, spelling, errors);
    errors.push({ field, code: 'null', message: 'must not be null' });
    return null;
  }
  if (value === null) return null;
  if (isListType(type)) {
    const items = Array.isArray(value) || spelling.strict ? value : [value];
    if (!Array.isArray(items)) {
      errors.push({ field, code: 'type', message: `must be an array, not ${kindOf(value)}` });
      return null;
    }
    if (constraints.maxItems !== undefined && hasTooMany(items, constraints.maxItems)) {
      errors.push({ field, code: 'too_many', message: `must have at most ${constraints.maxItems} items` });
      return null;
    }
    return items.map((item, index) =>
      errors.length > mostNamed ? null : read(type.ofType, item, `${field}[${index}]`, {}, spelling, errors),
    );
  }
  if (isInputObjectType(type)) return readObject(type, value, field, spelling, errors);
  return isLeafType(type) ? readLeaf(type, value, field, constraints, spelling, errors) : value;
}

/** A list may have this many times as many items as distinct items. */
const repeats = 2;

const hasTooMany = (items: unknown[], most: number) => items.length > repeats * most || new Set(items).size > most;

function readObject(
  type: GraphQLInputObjectType,
  value: unknown,
  field: string,
  spelling: Spelling,
  errors: FieldError[],
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    errors.push({ field, code: 'type', message: `must be an object, not ${kindOf(value)}` });
    return null;
  }
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  const given = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  const names = new Set<string>();
  for (const [name, { type: fieldType, extensions, defaultValue }] of Object.entries(type.getFields())) {
    const spelled = spelling.nameOf(name);
    names.add(spelled);
    if (Object.hasOwn(given, spelled)) {
      result[name] = read(fieldType, given[spelled], at(spelled), extensions, spelling, errors);
    } else if (isNonNullType(fieldType) && defaultValue === undefined) {
      errors.push({ field: at(spelled), code: 'required', message: 'is required' });
    }
  }
  for (const key in given) {
    if (errors.length > mostNamed) break;
    if (names.has(key)) continue;
    const name = shortened(key);
    const near = closestMatch(name, [...names], { maxDistance: Math.floor(name.length * 0.4) + 1 });
    const hint = near ? `did you mean ${quoted(near)}?` : `the fields are ${[...names].join(', ')}`;
    errors.push({ field: at(name), code: 'unknown', message: `is not a field (${hint})` });
  }
  return result;
}
