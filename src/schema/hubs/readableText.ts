import { badInput } from '../../platform/failures/index.js';
import type { TextPage as Page } from '../../text/excerpts.js';
import { builder, longText } from '../builder.js';
import { ResourceHubDocument } from './document.js';
import { comparisons, DocumentVersion } from './versions.js';

const TextPage = builder.objectRef<Page>('TextPage').implement({
  description: 'A page of a long text.',
  fields: (t) => ({
    text: t.exposeString('text', {
      description: 'The text of the page, of about 10,000 characters. All pages together are the whole text.',
    }),
    number: t.exposeInt('number', { description: 'The number of the page, from 1.' }),
    count: t.exposeInt('count', { description: 'The number of pages of the text.' }),
  }),
});

const types = [
  ['document', ResourceHubDocument],
  ['version', DocumentVersion],
] as const;

for (const [name, type] of types) {
  builder.prismaObjectField(type, 'readableText', (t) =>
    t.field({
      type: TextPage,
      extensions: longText,
      description: `A page of the content of the ${name} as people read it, with one line for each block, as differences show it.`,
      args: {
        page: t.arg.int({
          required: false,
          defaultValue: 1,
          description: 'The number of the page, from 1.',
          extensions: { minimum: 1 },
        }),
      },
      select: { content: true },
      resolve: async ({ content }, { page }, context) => {
        const found = await comparisons(context).pageOf(content, page ?? 1);
        if (!found) {
          throw badInput(
            [{ field: 'page', code: 'too_large', message: 'is beyond the last page of the text' }],
            context,
          );
        }
        return found;
      },
    }),
  );
}
