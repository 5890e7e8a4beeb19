import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans/plannedQuery.js';
import { Viewer } from '../types/Viewer.js';

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Returns the caller: the person and the token that this request is authenticated with.',
    resolve: (_root, _args, context, info) =>
      context.db.apiToken.findUniqueOrThrow({
        ...plannedQuery(context, info),
        where: keyOf(context.actor, context.actor.tokenId),
      }),
  }),
);
