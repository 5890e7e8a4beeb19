import { z } from 'zod';
import { ContextualDateType } from '../../database/generated/client/enums.js';
import { date, name, optional } from './fields.js';

const contextualDate = z.strictObject({
  date_type: z.enum(ContextualDateType).describe('how exact the date is'),
  value: name('the date as displayed, such as "Q3 2026"'),
  date: date('the day it stands for'),
});

/** When work on a goal starts, and when it is due. */
export const timeframe = z.strictObject({
  contextual_start_date: optional(contextualDate.describe('when work starts')),
  contextual_end_date: optional(contextualDate.describe('when it is due')),
});
