import type { OutputRef } from '@pothos/core';
import { cursorOf } from '../../lists/engine/slice.js';
import { builder } from '../builder.js';
import type { ConnectionShape } from '../fields/resolveConnection.js';
import { PageInfo } from './PageInfo.js';

/** The connection and edge types (Relay cursor connections) of a node type. */
export function connectionType<Row extends object>(name: string, node: OutputRef<Row>, description: string) {
  const Edge = builder.objectRef<{ cursor: string; node: Row }>(`${name}Edge`).implement({
    description: `A row of a \`${name}Connection\` and where it stands.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Where the row stands, for `after` and `before`; good even when the row is gone.',
      }),
      node: t.field({ type: node, description: 'The row itself.', resolve: (edge) => edge.node as never }),
    }),
  });
  return builder.objectRef<ConnectionShape<Row>>(`${name}Connection`).implement({
    description,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'The rows of the page, each with its cursor.',
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
        description: 'The rows of the page.',
        resolve: async ({ rows }) => (await rows()).filter((row) => row !== undefined) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where the page lies.',
        resolve: async ({ list, page }) => {
          const { positions, hasNextPage, hasPreviousPage } = await page();
          const [start = null, end = null] = [positions[0], positions.at(-1)].map(
            (position) => position && cursorOf(list, position),
          );
          return { hasNextPage, hasPreviousPage, start, end };
        },
      }),
      totalCount: t.int({
        description:
          'Number of rows in the whole list. Counts them all, each time it is asked for: leave it out if you can.',
        resolve: ({ count }) => count(),
      }),
    }),
  });
}

/** The arguments every connection takes. */
export const pageArguments = builder.args((t) => ({
  first: t.int({ required: false, description: 'How many rows from the start, 0 to 100. Default: 20.' }),
  after: t.string({ required: false, description: 'A cursor: only rows after it.' }),
  last: t.int({ required: false, description: 'How many rows from the end, 0 to 100; not together with `first`.' }),
  before: t.string({ required: false, description: 'A cursor: only rows before it.' }),
}));
