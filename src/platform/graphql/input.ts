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

/** Whether a text has more characters (code points), of which each has one or two units. */
const isLonger = (text: string, most: number) =>
  text.length > most && (text.length > 2 * most || [...text].length > most);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' ? `the number ${value}` : `a ${typeof value}`;
}

/** A list may have this many times as many items as distinct items. */
const repeats = 2;

const hasTooMany = (items: unknown[], most: number) => items.length > repeats * most || new Set(items).size > most;

/** Reads a value as an input type and collects what is wrong, up to what a response lists. Names in the value are GraphQL's. */
export function readInput(
  type: GraphQLInputType,
  value: unknown,
  spelling: Spelling,
  field = '',
  constraints: Constraints = {},
): { value: unknown; errors: FieldError[] } {
  const reading = new Reading(spelling);
  return { value: reading.read(type, value, field, constraints), errors: reading.errors };
}

class Reading {
  readonly errors: FieldError[] = [];

  constructor(private readonly spelling: Spelling) {}

  read(type: GraphQLInputType, value: unknown, field: string, constraints: Constraints): unknown {
    if (isNonNullType(type)) {
      if (value === null) return this.#fail(field, 'null', 'must not be null');
      return this.read(type.ofType, value, field, constraints);
    }
    if (value === null) return null;
    if (isListType(type)) return this.#list(type.ofType, value, field, constraints);
    if (isInputObjectType(type)) return this.#object(type, value, field);
    return isLeafType(type) ? this.#leaf(type, value, field, constraints) : value;
  }

  #fail(field: string, code: FieldError['code'], message: string): null {
    this.errors.push({ field, code, message });
    return null;
  }

  #list(type: GraphQLInputType, value: unknown, field: string, { maxItems }: Constraints): unknown {
    const items = Array.isArray(value) || this.spelling.strict ? value : [value];
    if (!Array.isArray(items)) return this.#fail(field, 'type', `must be an array, not ${kindOf(value)}`);
    if (maxItems !== undefined && hasTooMany(items, maxItems))
      return this.#fail(field, 'too_many', `must have at most ${maxItems} items`);
    return items.map((item, index) =>
      this.errors.length > mostNamed ? null : this.read(type, item, `${field}[${index}]`, {}),
    );
  }

  #object(type: GraphQLInputObjectType, value: unknown, field: string): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.#fail(field, 'type', `must be an object, not ${kindOf(value)}`);
    const at = (name: string) => (field === '' ? name : `${field}.${name}`);
    const given = value as Record<string, unknown>;
    const result: Record<string, unknown> = {};
    const names = new Set<string>();
    for (const [name, { type: fieldType, extensions, defaultValue }] of Object.entries(type.getFields())) {
      const spelled = this.spelling.nameOf(name);
      names.add(spelled);
      if (Object.hasOwn(given, spelled)) {
        result[name] = this.read(fieldType, given[spelled], at(spelled), extensions);
      } else if (isNonNullType(fieldType) && defaultValue === undefined) {
        this.#fail(at(spelled), 'required', 'is required');
      }
    }
    for (const key in given) {
      if (this.errors.length > mostNamed) break;
      if (names.has(key)) continue;
      const name = shortened(key);
      const near = closestMatch(name, [...names], { maxDistance: Math.floor(name.length * 0.4) + 1 });
      const hint = near ? `did you mean ${quoted(near)}?` : `the fields are ${[...names].join(', ')}`;
      this.#fail(at(name), 'unknown', `is not a field (${hint})`);
    }
    return result;
  }

  #leaf(type: GraphQLLeafType, value: unknown, field: string, constraints: Constraints): unknown {
    const { maxLength } = constraints;
    const fail = (code: FieldError['code'], message: string) => this.#fail(field, code, message);
    const expected = expectations[type.name];
    if (this.spelling.strict && type.name === 'ID' && typeof value !== 'string') {
      return fail('type', `must be a string, not ${kindOf(value)}`);
    }
    // As a number, it would be another ID.
    if (type.name === 'ID' && typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      return fail('type', 'must be a string: a number this large is not read exactly');
    }
    // graphql-js would look for a name that is like it.
    if (isEnumType(type) && typeof value === 'string' && !type.getValue(value)) {
      const names = type.getValues().map(({ name }) => name);
      return fail('type', `must be one of ${names.join(', ')}, not ${quoted(value)}`);
    }
    const range = ranges[type.name];
    if (range && typeof value === 'number' && Number.isInteger(value)) {
      const { minimum = range.minimum, maximum = range.maximum } = constraints;
      if (value < minimum) return fail('too_small', `must be at least ${minimum}`);
      if (value > maximum) return fail('too_large', `must be at most ${maximum}`);
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
}
