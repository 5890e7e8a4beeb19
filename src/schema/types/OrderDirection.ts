import { builder } from '../builder.js';

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which end of an order comes first.',
  values: {
    ASC: { value: 'asc', description: 'The smallest, the earliest, A.' },
    DESC: { value: 'desc', description: 'The largest, the latest, Z.' },
  } as const,
});
