import { closestMatch } from 'leven';
import { z } from 'zod';

type Path = readonly PropertyKey[];

const expected: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** The problem of a field, worded to follow its path. */
export const message: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'custom') return issue.message;
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${expected[issue.expected] ?? issue.expected}, not ${typeName(issue.input)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}, not ${quote(issue.input)}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'date'
        ? `must be a date such as 2026-03-31, not ${quote(issue.input)}`
        : `must be an ISO 8601 UTC timestamp such as 2026-03-31T09:30:00Z, not ${quote(issue.input)}`;
    default:
      return undefined;
  }
};

/** One line for each problem: the path of the field and the problem. */
export function problemsOf({ issues }: z.ZodError, schema: z.ZodType): string[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return `${pathName(issue.path)}: ${issue.message}`;
    const known = fieldsAt(schema, issue.path);
    return issue.keys.map((key) => {
      const near = nearest(key, known);
      return `${pathName([...issue.path, key])}: unknown field${near ? `, did you mean ${near}?` : ''}`;
    });
  });
}

/** `documents[3].versions[0].title`; the whole document is `the file`. */
export function pathName(path: Path): string {
  const [first, ...rest] = path.map((step) =>
    typeof step === 'number'
      ? `[${step}]`
      : /^\w+$/.test(String(step))
        ? `.${String(step)}`
        : `[${quote(String(step))}]`,
  );
  return first ? [first.replace(/^\./, ''), ...rest].join('') : 'the file';
}

/** A value for a message: on one line, cut after 80 characters. */
export function quote(value: unknown): string {
  const json = typeof value === 'number' ? `${value}` : (JSON.stringify(value) ?? 'nothing');
  return json.length > 80 ? `${json.slice(0, 77).replace(/\p{Cs}$/u, '')}…` : json;
}

/** The schema inside the wrappers for null, defaults and conversions. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema;
}

function fieldsAt(schema: z.core.$ZodType, path: Path): string[] {
  const inner = unwrap(schema);
  const [step, ...rest] = path;
  if (inner instanceof z.ZodArray) return fieldsAt(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  return step === undefined ? Object.keys(inner.shape) : fieldsAt(inner.shape[String(step)], rest);
}

function nearest(word: string, known: string[]): string | undefined {
  const maxDistance = Math.min(Math.max(2, Math.floor(word.length / 3)), word.length - 1);
  return closestMatch(word, known, { maxDistance });
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return quote(value);
}
