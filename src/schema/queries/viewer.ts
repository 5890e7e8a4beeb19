import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { Viewer } from '../types/Viewer.js';

builder.queryField('viewer', (t) =>
  t.prismaField({
    type: Viewer,
    description: 'Returns the caller: the person and the token that this request is authenticated with.',
    resolve: (query, _root, _args, { db, actor }) =>
      db.apiToken.findUniqueOrThrow({ ...query, where: keyOf(actor, actor.tokenId) }),
  }),
);
