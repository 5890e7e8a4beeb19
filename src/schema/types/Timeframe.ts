import type { Timeframe as TimeframeShape } from '../../rules/timeframeOf.js';
import { builder } from '../builder.js';
import { ContextualDate } from './ContextualDate.js';

export const Timeframe = builder.objectRef<TimeframeShape>('Timeframe').implement({
  description: 'The planned start and end of a goal.',
  fields: (t) => ({
    contextualStartDate: t.expose('start', {
      type: ContextualDate,
      nullable: true,
      description: 'The start. Null if it is not set.',
    }),
    contextualEndDate: t.expose('end', {
      type: ContextualDate,
      nullable: true,
      description: 'The end. Null if it is not set.',
    }),
  }),
});
