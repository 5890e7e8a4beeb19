import type { Change, Difference } from '../../text/difference.js';
import { builder } from '../builder.js';

const TextChangeKind = builder.enumType('TextChangeKind', {
  description: 'What became of a piece of text.',
  values: {
    UNCHANGED: { value: 'unchanged', description: 'It is in both texts.' },
    REMOVED: { value: 'removed', description: 'It is in the text before only.' },
    ADDED: { value: 'added', description: 'It is in the text after only.' },
  } as const,
});

const TextGranularity = builder.enumType('TextGranularity', {
  description: 'How finely two texts were compared; long and very different ones more coarsely.',
  values: {
    WORD: { value: 'word', description: 'Word by word.' },
    LINE: { value: 'line', description: 'Line by line.' },
    TEXT: {
      value: 'text',
      description: 'Only the lines that both start and end with; all between them counts as replaced.',
    },
  } as const,
});

const TextChange = builder.objectRef<Change>('TextChange').implement({
  description: 'A piece of text that is unchanged, removed or added.',
  fields: (t) => ({
    kind: t.expose('kind', { type: TextChangeKind, description: 'What became of it.' }),
    text: t.exposeString('text', { description: 'The piece of text.' }),
  }),
});

export const TextDifference = builder.objectRef<Difference>('TextDifference').implement({
  description: 'The difference of two texts.',
  fields: (t) => ({
    granularity: t.expose('granularity', { type: TextGranularity, description: 'How finely they were compared.' }),
    changes: t.expose('changes', {
      type: [TextChange],
      description:
        'Both texts in pieces, in order: what is unchanged and removed makes the one before, what is unchanged and added the one after.',
    }),
  }),
});
