import type { ContextualDate as ContextualDateShape } from '../../rules/timeframeOf.js';
import { builder } from '../builder.js';

const ContextualDateType = builder.enumType('ContextualDateType', {
  description: 'The precision of a contextual date.',
  values: {
    DAY: { value: 'day', description: 'The date is a day.' },
    MONTH: { value: 'month', description: 'The date is a month.' },
    QUARTER: { value: 'quarter', description: 'The date is a quarter of a year.' },
    YEAR: { value: 'year', description: 'The date is a year.' },
  } as const,
});

export const ContextualDate = builder.objectRef<ContextualDateShape>('ContextualDate').implement({
  description: 'A date that is a day, a month, a quarter or a year.',
  fields: (t) => ({
    dateType: t.expose('type', { type: ContextualDateType, description: 'The precision of the date.' }),
    value: t.exposeString('value', { description: 'The date as people write it, such as `Q3 2026`.' }),
    date: t.expose('date', { type: 'Date', description: 'The calendar day that the date stands for.' }),
  }),
});
