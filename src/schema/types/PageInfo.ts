import { builder } from '../builder.js';

export const PageInfo = builder
  .objectRef<{ hasNextPage: boolean; hasPreviousPage: boolean; start: string | null; end: string | null }>('PageInfo')
  .implement({
    description: 'The position of a page in its list.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', {
        description: 'Whether more items follow the page. With `last`, it only says whether `before` was given.',
      }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
        description: 'Whether more items precede the page. With `first`, it only says whether `after` was given.',
      }),
      startCursor: t.exposeString('start', {
        nullable: true,
        description: 'The cursor of the first item, to send as `before`. Null if the page is empty.',
      }),
      endCursor: t.exposeString('end', {
        nullable: true,
        description:
          'The cursor of the last item, to send as `after`. Null if the page is empty. Of `events`, the cursor of the ' +
          'last event that was looked at, also if the caller cannot see it; null only if there is none.',
      }),
    }),
  });
