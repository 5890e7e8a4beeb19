import { difference, Effort } from '../../text/difference.js';
import type { DocumentText } from '../../text/documentText.js';
import { plainText } from '../../text/plainText.js';
import { builder } from '../builder.js';
import { sharedInOperation } from '../sharedInOperation.js';
import { TextDifference } from './TextDifference.js';

// Comparing texts takes processor time, so all comparisons of one request share a fixed amount.
const effort = sharedInOperation(() => new Effort());

export const DocumentDifference = builder
  .objectRef<{ before: DocumentText; after: DocumentText }>('DocumentDifference')
  .implement({
    description:
      'The difference between two states of a document. Rich text is compared without its formatting, as one line per block.',
    fields: (t) => ({
      title: t.field({
        type: TextDifference,
        description: 'The difference between the titles.',
        resolve: ({ before, after }, _args, context) => difference(before.title, after.title, effort(context)),
      }),
      content: t.field({
        type: TextDifference,
        description: 'The difference between the contents.',
        resolve: ({ before, after }, _args, context) =>
          difference(plainText(before.content), plainText(after.content), effort(context)),
      }),
      isFormattingOnly: t.boolean({
        description: 'Whether the contents differ only in their formatting.',
        resolve: ({ before, after }) =>
          before.content !== after.content && plainText(before.content) === plainText(after.content),
      }),
    }),
  });
