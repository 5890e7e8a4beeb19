import type { ContextualDate as ContextualDateShape } from '../../rules/timeframeOf.js';
import { builder } from '../builder.js';

const ContextualDateType = builder.enumType('ContextualDateType', {
  description: 'How exact a date is.',
  values: {
    DAY: { value: 'day', description: 'One day.' },
    MONTH: { value: 'month', description: 'A month.' },
    QUARTER: { value: 'quarter', description: 'A quarter of a year.' },
    YEAR: { value: 'year', description: 'A year.' },
  } as const,
});

export const ContextualDate = builder.objectRef<ContextualDateShape>('ContextualDate').implement({
  description: 'A date as exact as it was meant.',
  fields: (t) => ({
    dateType: t.expose('type', { type: ContextualDateType, description: 'How exact the date is.' }),
    value: t.exposeString('value', { description: 'The date as people say it, such as `Q3 2026`.' }),
    date: t.expose('date', { type: 'Date', description: 'The calendar day it stands for.' }),
  }),
});
