import { builder } from '../builder.js';

export const GoalStatus = builder.enumType('GoalStatus', {
  description: 'How a goal stands.',
  values: {
    ON_TRACK: { value: 'on_track', description: 'Open; going as planned.' },
    CAUTION: { value: 'caution', description: 'Open; needs attention.' },
    OFF_TRACK: { value: 'off_track', description: 'Open; will not be reached as things stand.' },
    ACHIEVED: { value: 'achieved', description: 'Closed; reached.' },
    MISSED: { value: 'missed', description: 'Closed; not reached.' },
    OUTDATED: { value: 'outdated', description: 'Open; its update is overdue.' },
    PENDING: { value: 'pending', description: 'Open; no check-in yet.' },
    PAUSED: { value: 'paused', description: 'Open; resting.' },
  } as const,
});
