import { entry } from '../entry.js';

/** The rules a field can break. */
const fieldErrorCodes = [
  'unknown',
  'required',
  'null',
  'type',
  'too_short',
  'too_long',
  'too_many',
  'too_small',
  'too_large',
  'invalid',
  'not_found',
] as const;

interface FieldError {
  /** Path of the field; empty for the whole input. */
  field: string;
  code: (typeof fieldErrorCodes)[number];
  /** What to send instead, such as `must not be null`. */
  message: string;
}

/** How many fields the detail names. */
const namedInDetail = 5;

/** What a request says cannot be used. */
export const inputErrors = {
  MALFORMED_JSON: entry<{ problem: string; line?: number; column?: number }>({
    status: 400,
    title: 'The request is not valid JSON',
    meaning:
      'The server could not read the JSON of the request. Keys that occur twice, numbers that a double cannot hold ' +
      'and text that is not UTF-8 are rejected too. Nothing was changed.',
    remedy: 'Send the output of a JSON serializer, encoded in UTF-8. The detail names the problem and its position.',
    detail: ({ problem, line, column }) =>
      `Invalid JSON: ${problem}${line === undefined ? '' : ` (line ${line}, column ${column})`}.`,
    example: { problem: 'comma expected', line: 1, column: 33 },
    optionalMembers: {
      line: { type: 'integer', description: 'Line of the problem, counted from 1.' },
      column: { type: 'integer', description: 'Column of the problem, counted from 1.' },
    },
  }),
  BAD_USER_INPUT: entry<{ errors: FieldError[] }>({
    status: 400,
    title: 'The input is invalid',
    meaning:
      'The server read the request, but some of its fields are unknown, missing, null, of the wrong type or out of ' +
      'bounds. Nothing was changed.',
    remedy:
      'Correct every field listed in errors. The list names all invalid fields, up to a hundred; if there are ' +
      'more, its last entry, whose field is empty, says so.',
    detail({ errors }) {
      const named = errors.slice(0, namedInDetail);
      const texts = named.map(({ field, message }) => (field ? `${field}: ${message}` : message));
      if (errors.length > named.length)
        texts.push(errors.at(-1)?.field === '' ? 'and more' : `and ${errors.length - named.length} more`);
      return texts.join('; ');
    },
    example: {
      errors: [
        { field: 'input.documentId', code: 'null', message: 'must not be null' },
        { field: 'input.versionNumber', code: 'too_small', message: 'must be at least 1' },
      ],
    },
    members: {
      errors: {
        type: 'array',
        description: 'Every invalid field of the request, up to a hundred.',
        items: {
          type: 'object',
          description: 'One invalid field.',
          properties: {
            field: {
              type: 'string',
              description:
                'Path of the field, such as `subscriber_ids[2]`; empty for the whole body and for the entry that says there are more.',
            },
            code: { type: 'string', description: 'The rule that the field breaks.', enum: fieldErrorCodes },
            message: { type: 'string', description: 'What to send instead, for people to read.' },
          },
        },
      },
    },
  }),
};
