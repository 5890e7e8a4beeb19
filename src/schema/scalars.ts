import { GraphQLError } from 'graphql';
import { builder, enumOf } from './builder.js';

const outputOnly = (name: string) => () => {
  throw new GraphQLError(`${name} is not used in input`);
};

const timeFormat = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
/** PostgreSQL has no year 0. */
const firstTime = Date.parse('0001-01-01T00:00:00Z');

builder.scalarType('DateTime', {
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  description: 'A point in time in ISO 8601 format and UTC, such as `2026-03-14T09:26:53.589Z`.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => {
    // The tools for agents have read it before.
    if (value instanceof Date) return value;
    const time = typeof value === 'string' && timeFormat.test(value) ? value : '';
    const day = time.slice(0, 10);
    // JavaScript takes the 30th of February for the 2nd of March.
    if (Date.parse(time) >= firstTime && new Date(day).toJSON().startsWith(day)) return new Date(time);
    throw new GraphQLError('must be a time such as 2026-03-14T09:26:53Z');
  },
});

builder.scalarType('Date', {
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date',
  description: 'A calendar day in the format `YYYY-MM-DD`.',
  serialize: (value) => value.toISOString().slice(0, 10),
  parseValue: outputOnly('Date'),
});

builder.scalarType('SafeInt', {
  // Which integers every JSON parser reads exactly.
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  description: 'An integer from 0 to 2^53 - 1, as a JSON number.',
  serialize: (value) => Number(value),
  parseValue: (value) => {
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
    throw new GraphQLError('must be an integer from 0 to 2^53 - 1');
  },
});

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'A JSON value, as it is.',
  serialize: (value) => value,
  parseValue: outputOnly('JSON'),
});

export const OrderDirection = enumOf('OrderDirection', 'The direction in which a list is sorted.', {
  asc: 'Ascending: from A to Z, from earliest to latest.',
  desc: 'Descending: from Z to A, from latest to earliest.',
});

builder.queryType({
  description:
    'The read operations. Every token can run them, and they return only what its person can see. An ID is unique among ' +
    'the records of its type only: a goal and a document may have the same, so a cache keys records by type and ID.',
});

builder.mutationType({
  description:
    'The write operations. They need a write-enabled token, and one with the scope of the operation if its scopes are limited: other tokens are rejected with 403.',
});

builder.subscriptionType({
  description: 'The live streams, as server-sent events. Every token can open them.',
});
