import { spaceCursor, spaceList } from '../../lists/spaces.js';
import { visibleTo } from '../../policies/visibility.js';
import { builder } from '../builder.js';
import { resolveConnection, rowsOfModel } from '../fields/resolveConnection.js';
import { checkedPage, connectionType, pageArguments } from '../types/Connection.js';
import { Space } from '../types/Space.js';

const SpaceConnection = connectionType('Space', Space, 'A page of spaces, sorted by name.');

builder.queryField('spaces', (t) =>
  t.field({
    type: SpaceConnection,
    description: 'Lists the spaces that the caller can see, sorted by name. Error: BAD_USER_INPUT.',
    args: pageArguments,
    extensions: checkedPage(spaceCursor),
    resolve: (_root, args, context, info) =>
      resolveConnection(context, info, args, {
        list: spaceList(context.actor),
        ...rowsOfModel(context, info, ['Space', context.db.space], visibleTo(context.actor)),
      }),
  }),
);
