import { builder } from '../builder.js';
import { Viewer } from '../types/Viewer.js';

builder.queryField('viewer', (t) =>
  t.prismaField({
    type: Viewer,
    description: 'The person and the token behind this request.',
    resolve: (query, _root, _args, { db, actor }) =>
      db.apiToken.findUniqueOrThrow({ ...query, where: { id: actor.tokenId } }),
  }),
);
