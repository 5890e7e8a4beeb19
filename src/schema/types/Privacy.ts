import { builder } from '../builder.js';

export const Privacy = builder.enumType('Privacy', {
  description: 'Who a goal or project is open to, derived from its access levels.',
  values: {
    PUBLIC: { value: 'public', description: 'It is marked as public.' },
    INTERNAL: { value: 'internal', description: 'It is open to everyone in the company except guests.' },
    CONFIDENTIAL: { value: 'confidential', description: 'It is open to the members of its space.' },
    SECRET: { value: 'secret', description: 'It is open only to people with a personal grant.' },
  } as const,
});
