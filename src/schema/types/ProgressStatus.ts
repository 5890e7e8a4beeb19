import { builder } from '../builder.js';

export const ProgressStatus = builder.enumType('ProgressStatus', {
  description: 'How work is going, as a person reported it.',
  values: {
    PENDING: { value: 'pending', description: 'Not started.' },
    ON_TRACK: { value: 'on_track', description: 'Going as planned.' },
    CAUTION: { value: 'caution', description: 'Needs attention.' },
    OFF_TRACK: { value: 'off_track', description: 'Will not be reached as things stand.' },
    PAUSED: { value: 'paused', description: 'Resting.' },
  } as const,
});
