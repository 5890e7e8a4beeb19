import type { Timeframe as TimeframeShape } from '../../rules/timeframeOf.js';
import { builder } from '../builder.js';
import { ContextualDate } from './ContextualDate.js';

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
