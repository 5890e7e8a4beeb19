import { builder } from '../builder.js';

export const PageInfo = builder
  .objectRef<{ hasNextPage: boolean; hasPreviousPage: boolean; start: string | null; end: string | null }>('PageInfo')
  .implement({
    description: 'Where a page of a connection lies, and whether there is more.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', {
        description: 'Whether rows follow the page. With `last` it says only whether `before` was given.',
      }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
        description: 'Whether rows precede the page. With `first` it says only whether `after` was given.',
      }),
      startCursor: t.exposeString('start', {
        nullable: true,
        description: 'Cursor of the first row, for `before`; null when the page is empty.',
      }),
      endCursor: t.exposeString('end', {
        nullable: true,
        description: 'Cursor of the last row, for `after`; null when the page is empty.',
      }),
    }),
  });
