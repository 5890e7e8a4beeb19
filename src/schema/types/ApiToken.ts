import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';

export const ApiToken = builder.prismaObject('ApiToken', {
  select: keyColumns,
  description: 'The API token that a request is authenticated with. The secret itself is never returned.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the token, as used on the command line.' }),
    name: t.exposeString('name', { description: 'The name of the token.' }),
    lastFour: t.exposeString('lastFour', {
      description: 'The last four characters of the token, so that people can recognize it.',
    }),
    canWrite: t.exposeBoolean('canWrite', { description: 'Whether the token can run mutations.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token expires. Null if it never expires.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the token was last used, accurate to the minute. Null if it has never been used.',
    }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the token was created.' }),
  }),
});
