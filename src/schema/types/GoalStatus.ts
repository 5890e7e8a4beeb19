import { builder } from '../builder.js';

export const GoalStatus = builder.enumType('GoalStatus', {
  description: 'The status of a goal, derived from its check-ins and from how it was closed.',
  values: {
    ON_TRACK: { value: 'on_track', description: 'The goal is open and going as planned.' },
    CAUTION: { value: 'caution', description: 'The goal is open and needs attention.' },
    OFF_TRACK: { value: 'off_track', description: 'The goal is open and unlikely to be achieved without a change.' },
    ACHIEVED: { value: 'achieved', description: 'The goal is closed and was achieved.' },
    MISSED: { value: 'missed', description: 'The goal is closed and was not achieved.' },
    OUTDATED: { value: 'outdated', description: 'The goal is open and its check-in is overdue.' },
    PENDING: { value: 'pending', description: 'The goal is open and has not started, or has no check-in yet.' },
    PAUSED: { value: 'paused', description: 'The goal is open and paused.' },
  } as const,
});
