import { createContextCache } from '@pothos/core';
import type { Context } from '../../context.js';
import { difference, Effort } from '../../text/difference.js';
import type { DocumentText } from '../../text/documentText.js';
import { plainText } from '../../text/plainText.js';
import { builder } from '../builder.js';
import { TextDifference } from './TextDifference.js';

// Comparing is work for the processor: one request gets a fixed amount of it.
const effort = createContextCache((_context: Context) => new Effort());

export const DocumentDifference = builder
  .objectRef<{ before: DocumentText; after: DocumentText }>('DocumentDifference')
  .implement({
    description:
      'The difference of two wordings of a document. Rich text is compared as it is read, a line for each block.',
    fields: (t) => ({
      title: t.field({
        type: TextDifference,
        description: 'The difference of the titles.',
        resolve: ({ before, after }, _args, context) => difference(before.title, after.title, effort(context)),
      }),
      content: t.field({
        type: TextDifference,
        description: 'The difference of the texts.',
        resolve: ({ before, after }, _args, context) =>
          difference(plainText(before.content), plainText(after.content), effort(context)),
      }),
      isFormattingOnly: t.boolean({
        description: 'Whether the texts differ in their formatting only and read the same.',
        resolve: ({ before, after }) =>
          before.content !== after.content && plainText(before.content) === plainText(after.content),
      }),
    }),
  });
