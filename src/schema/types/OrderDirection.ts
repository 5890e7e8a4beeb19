import { builder } from '../builder.js';

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction in which a list is sorted.',
  values: {
    ASC: { value: 'asc', description: 'Ascending: from A to Z, from earliest to latest.' },
    DESC: { value: 'desc', description: 'Descending: from Z to A, from latest to earliest.' },
  } as const,
});
