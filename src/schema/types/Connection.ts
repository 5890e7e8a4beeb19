import type { OutputRef } from '@pothos/core';
import type { CursorKind } from '../../lists/engine/list.js';
import { cursorOf, defaultSize, maximumSize, type PageArguments, pageErrors } from '../../lists/engine/slice.js';
import { builder } from '../builder.js';
import type { ConnectionShape } from '../fields/resolveConnection.js';
import { wholeList } from '../weights.js';
import { PageInfo } from './PageInfo.js';

/** The connection and edge types (Relay cursor connections) of a node type. */
export function connectionType<Row extends object>(
  name: string,
  node: OutputRef<Row>,
  description: string,
  { isCounted = true } = {},
) {
  const Edge = builder.objectRef<{ cursor: string; node: Row }>(`${name}Edge`).implement({
    description: `An item of \`${name}Connection\` and its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'The position of the item, to send as `after` or `before`. It stays valid if the item is deleted.',
      }),
      node: t.field({ type: node, description: 'The item.', resolve: (edge) => edge.node as never }),
    }),
  });
  return builder.objectRef<ConnectionShape<Row>>(`${name}Connection`).implement({
    description,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'The items of the page, each with its cursor.',
        resolve: async ({ list, page, rows }) => {
          const [{ positions }, nodes] = await Promise.all([page(), rows()]);
          return positions.flatMap((position, index) => {
            const row = nodes[index];
            return row ? [{ cursor: cursorOf(list, position), node: row }] : [];
          });
        },
      }),
      nodes: t.field({
        type: [node],
        description: 'The items of the page.',
        resolve: async ({ rows }) => (await rows()).filter((row) => row !== undefined) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The position of the page in the list.',
        resolve: async ({ list, page }) => {
          const { positions, hasNextPage, hasPreviousPage, endCursor } = await page();
          const [start = null, end = null] = [positions[0], positions.at(-1)].map(
            (position) => position && cursorOf(list, position),
          );
          return { hasNextPage, hasPreviousPage, start, end: endCursor ?? end };
        },
      }),
      ...(isCounted && {
        totalCount: t.int({
          description:
            'The number of items in the whole list. Every request counts them all, so select it only if you need it.',
          extensions: wholeList,
          resolve: ({ count }) => count(),
        }),
      }),
    }),
  });
}

/** For a field that returns a connection: its arguments are checked before anything of the operation runs. */
export const checkedPage = (kind: CursorKind) => ({
  check: (args: PageArguments, field: string) => pageErrors(kind, field, args),
});

/** The arguments every connection takes. */
export const pageArguments = builder.args((t) => ({
  first: t.int({
    required: false,
    description: `The number of items to return from the start of the list, 0 to ${maximumSize}. Default: ${defaultSize}.`,
    extensions: { pageSize: defaultSize },
  }),
  after: t.string({ required: false, description: 'Returns only the items after this cursor.' }),
  last: t.int({
    required: false,
    description: `The number of items to return from the end of the list, 0 to ${maximumSize}. Cannot be used together with \`first\`.`,
  }),
  before: t.string({ required: false, description: 'Returns only the items before this cursor.' }),
}));
