import type { Change, Difference } from '../../text/difference.js';
import { builder } from '../builder.js';

const TextChangeKind = builder.enumType('TextChangeKind', {
  description: 'Which of two compared texts a piece of text is in.',
  values: {
    UNCHANGED: { value: 'unchanged', description: 'The piece is in both texts.' },
    REMOVED: { value: 'removed', description: 'The piece is only in the text before.' },
    ADDED: { value: 'added', description: 'The piece is only in the text after.' },
  } as const,
});

const TextGranularity = builder.enumType('TextGranularity', {
  description: 'The unit in which two texts are compared. Long or very different texts are compared in larger units.',
  values: {
    WORD: { value: 'word', description: 'The texts are compared word by word.' },
    LINE: { value: 'line', description: 'The texts are compared line by line.' },
    TEXT: {
      value: 'text',
      description:
        'Only the lines that both texts start and end with are compared. Everything between them counts as replaced.',
    },
  } as const,
});

const TextChange = builder.objectRef<Change>('TextChange').implement({
  description: 'A piece of text that is unchanged, removed or added.',
  fields: (t) => ({
    kind: t.expose('kind', { type: TextChangeKind, description: 'Whether the piece is unchanged, removed or added.' }),
    text: t.exposeString('text', { description: 'The text of the piece.' }),
  }),
});

export const TextDifference = builder.objectRef<Difference>('TextDifference').implement({
  description: 'The difference between two texts.',
  fields: (t) => ({
    granularity: t.expose('granularity', {
      type: TextGranularity,
      description: 'The unit in which the texts are compared.',
    }),
    changes: t.expose('changes', {
      type: [TextChange],
      description:
        'Both texts as pieces, in order. The unchanged and removed pieces form the text before; the unchanged and added pieces form the text after.',
    }),
  }),
});
