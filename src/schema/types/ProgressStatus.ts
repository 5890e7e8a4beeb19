import { builder } from '../builder.js';

export const ProgressStatus = builder.enumType('ProgressStatus', {
  description: 'The progress of a goal or project, as reported by a person.',
  values: {
    PENDING: { value: 'pending', description: 'The work has not started.' },
    ON_TRACK: { value: 'on_track', description: 'The work is going as planned.' },
    CAUTION: { value: 'caution', description: 'The work needs attention.' },
    OFF_TRACK: { value: 'off_track', description: 'The work is unlikely to succeed without a change.' },
    PAUSED: { value: 'paused', description: 'The work is paused.' },
  } as const,
});
