import { builder } from '../builder.js';

export const Privacy = builder.enumType('Privacy', {
  description: 'Who a resource is open to, read off its access levels.',
  values: {
    PUBLIC: { value: 'public', description: 'Marked as public.' },
    INTERNAL: { value: 'internal', description: 'Open to the company.' },
    CONFIDENTIAL: { value: 'confidential', description: 'Open to the members of its space.' },
    SECRET: { value: 'secret', description: 'Open to nobody but those with a personal grant.' },
  } as const,
});
