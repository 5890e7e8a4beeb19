import { builder } from '../builder.js';

export const GoalRole = builder.enumType('GoalRole', {
  description: "A person's role in a goal.",
  values: {
    CHAMPION: { value: 'champion', description: 'Leads the goal.' },
    REVIEWER: { value: 'reviewer', description: 'Reviews the goal.' },
  } as const,
});
