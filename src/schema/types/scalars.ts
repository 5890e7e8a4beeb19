import { GraphQLError } from 'graphql';
import { builder } from '../builder.js';

const outputOnly = (name: string) => () => {
  throw new GraphQLError(`${name} is not used in input`);
};

builder.scalarType('DateTime', {
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time',
  description: 'A point in time in ISO 8601 format and UTC, such as `2026-03-14T09:26:53.589Z`.',
  serialize: (value) => value.toISOString(),
  parseValue: outputOnly('DateTime'),
});

builder.scalarType('Date', {
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date',
  description: 'A calendar day in the format `YYYY-MM-DD`.',
  serialize: (value) => value.toISOString().slice(0, 10),
  parseValue: outputOnly('Date'),
});

builder.scalarType('BigInt', {
  // Which integers every JSON parser reads exactly.
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
  description: 'An integer from 0 to 2^53 - 1, as a JSON number.',
  serialize: (value) => Number(value),
  parseValue: outputOnly('BigInt'),
});
