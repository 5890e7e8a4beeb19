import { builder } from '../builder.js';

export const GoalRole = builder.enumType('GoalRole', {
  description: "A person's role in a goal.",
  values: {
    CHAMPION: { value: 'champion', description: 'The person leads the goal.' },
    REVIEWER: { value: 'reviewer', description: 'The person reviews the goal.' },
  } as const,
});
