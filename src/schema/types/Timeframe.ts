import { builder } from '../builder.js';

interface ContextualDateShape {
  type: 'day' | 'month' | 'quarter' | 'year';
  value: string;
  date: Date;
}

const ContextualDateType = builder.enumType('ContextualDateType', {
  description: 'How exact a date is.',
  values: {
    DAY: { value: 'day', description: 'One day.' },
    MONTH: { value: 'month', description: 'A month.' },
    QUARTER: { value: 'quarter', description: 'A quarter of a year.' },
    YEAR: { value: 'year', description: 'A year.' },
  } as const,
});

const ContextualDate = builder.objectRef<ContextualDateShape>('ContextualDate').implement({
  description: 'A date as exact as it was meant.',
  fields: (t) => ({
    dateType: t.expose('type', { type: ContextualDateType, description: 'How exact the date is.' }),
    value: t.exposeString('value', { description: 'The date as people say it, such as `Q3 2026`.' }),
    date: t.expose('date', { type: 'Date', description: 'The calendar day it stands for.' }),
  }),
});

export interface TimeframeShape {
  start: ContextualDateShape | null;
  end: ContextualDateShape | null;
}

/** A contextual date from its three columns, which are set together or not at all. */
export const contextualDate = (type: ContextualDateShape['type'] | null, value: string | null, date: Date | null) =>
  type && value !== null && date ? { type, value, date } : null;

export const Timeframe = builder.objectRef<TimeframeShape>('Timeframe').implement({
  description: 'When something starts and ends.',
  fields: (t) => ({
    contextualStartDate: t.expose('start', {
      type: ContextualDate,
      nullable: true,
      description: 'Start; null when open.',
    }),
    contextualEndDate: t.expose('end', { type: ContextualDate, nullable: true, description: 'End; null when open.' }),
  }),
});
