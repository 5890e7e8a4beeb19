import { builder } from '../builder.js';

export const ApiToken = builder.prismaObject('ApiToken', {
  description: 'The API token of this request; never the token itself.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the token, for the command line.' }),
    name: t.exposeString('name', { description: 'What it is for.' }),
    lastFour: t.exposeString('lastFour', { description: 'Its last four characters, to recognize it.' }),
    canWrite: t.exposeBoolean('canWrite', { description: 'Whether it may run mutations.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it expires; null for never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute; null before the first time.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
});
