import DataLoader from 'dataloader';
import { versionCursor, versionList } from '../../lists/ofRecord.js';
import { badInput } from '../../platform/failures/index.js';
import { type CallThread, Comparisons } from '../../text/comparisons.js';
import type { Change } from '../../text/difference.js';
import type { TextPage as Page, Excerpt as TextExcerpt } from '../../text/excerpts.js';
import type { TextPair } from '../../text/functions.js';
import type { DocumentText } from '../../text/richText.js';
import { builder, byKey, enumOf, keyColumns, longText, twoLongTexts } from '../builder.js';
import {
  checkedPage,
  connectionType,
  pageArguments,
  pagesOf,
  sharedBySiblings,
  sharedInOperation,
} from '../connections.js';
import { Person } from '../people/people.js';
import { plannedQuery } from '../plans.js';
import { ResourceHubDocument } from './filesAndDocuments.js';

const TextChangeKind = enumOf('TextChangeKind', 'Which of two compared texts a piece of text is in.', {
  unchanged: 'The piece is in both texts.',
  removed: 'The piece is only in the text before.',
  added: 'The piece is only in the text after.',
});

const TextGranularity = enumOf(
  'TextGranularity',
  'The unit in which two texts are compared. Long or very different texts are compared in larger units.',
  {
    word: 'The texts are compared word by word.',
    line: 'The texts are compared line by line.',
    text: 'The texts are not compared, or only lines that both have once: everything else counts as replaced.',
  },
);

const TextChange = builder.objectRef<Change>('TextChange').implement({
  description: 'A piece of text that is unchanged, removed or added.',
  fields: (t) => ({
    kind: t.expose('kind', { type: TextChangeKind, description: 'Whether the piece is unchanged, removed or added.' }),
    text: t.exposeString('text', { description: 'The text of the piece.' }),
  }),
});

const Excerpt = builder.objectRef<TextExcerpt>('TextExcerpt').implement({
  description: 'The beginning of the difference between two texts.',
  fields: (t) => ({
    changes: t.field({
      type: [TextChange],
      description: 'The pieces, in order, with `…` for unchanged text that is left out.',
      resolve: ({ changes }) => changes,
    }),
    omitted: t.exposeInt('omitted', {
      description:
        'The number of removed and added characters that are left out at the end. 0 if all changes are shown.',
    }),
  }),
});

const contextOfExcerpts = 8;

export const comparisons = sharedInOperation(({ actor, texts }) => {
  const call: CallThread = (...args) => texts.call(actor, ...args);
  return new Comparisons(call, texts.newBudget());
});

const TextDifference = builder.objectRef<TextPair>('TextDifference').implement({
  description: 'The difference between two texts.',
  fields: (t) => ({
    granularity: t.field({
      type: TextGranularity,
      description: 'The unit in which the texts are compared.',
      resolve: async (pair, _args, context) => (await comparisons(context).difference(pair)).granularity,
    }),
    changes: t.field({
      type: [TextChange],
      description:
        'Both texts as pieces, in order. The unchanged and removed pieces form the text before; the unchanged and added ' +
        'pieces form the text after, unless `context` is given.',
      args: {
        context: t.arg.int({
          description:
            'How many words of unchanged text to show on each side of a change. What is left out is shown as `…`. By default, ' +
            'nothing is left out.',
          extensions: { minimum: 0, maximum: 100 },
        }),
      },
      resolve: async (pair, { context: words }, context) =>
        words == null
          ? (await comparisons(context).difference(pair)).changes
          : comparisons(context).around(pair, words),
    }),
    excerpt: t.field({
      type: Excerpt,
      description:
        'What fits into a limit of both texts as pieces, with a few words of unchanged text around each change.',
      args: {
        size: t.arg.int({
          required: false,
          defaultValue: 2_000,
          description: 'About how many characters to show at most.',
          extensions: { minimum: 1, maximum: 10_000 },
        }),
      },
      resolve: (pair, { size }, context) => comparisons(context).excerpt(pair, contextOfExcerpts, 2 * (size ?? 2_000)),
    }),
  }),
});

export const DocumentDifference = builder
  .objectRef<{ before: DocumentText; after: DocumentText }>('DocumentDifference')
  .implement({
    description:
      'The difference between two states of a document. Rich text is compared as people read it, with one line for each block: ' +
      'with the targets of links, the sources of images, the people of mentions and the states of tasks, but without looks.',
    fields: (t) => ({
      title: t.field({
        type: TextDifference,
        description: 'The difference between the titles.',
        resolve: ({ before, after }) => ({ before: before.title, after: after.title, isContent: false }),
      }),
      content: t.field({
        type: TextDifference,
        description: 'The difference between the contents.',
        resolve: ({ before, after }) => ({ before: before.content, after: after.content, isContent: true }),
      }),
      isFormattingOnly: t.boolean({
        description:
          'Whether the contents differ only in their formatting, such as bold text, colors, alignment and sizes.',
        resolve: async ({ before, after }, _args, context) =>
          before.content !== after.content && (await comparisons(context).areSame(before.content, after.content)),
      }),
    }),
  });

const VersionOrigin = enumOf('VersionOrigin', 'How a version was created.', {
  published: 'The document was published.',
  edited: 'The document was edited.',
  restored: 'An earlier version was restored.',
});

export const DocumentVersion = builder.prismaObject('DocumentVersion', {
  ...byKey,
  description: 'A version of a document. Versions are never changed or removed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the version.' }),
    versionNumber: t.exposeInt('versionNumber', {
      description: 'The number of the version: 1, 2, 3 and so on, without gaps.',
    }),
    title: t.exposeString('title', { description: 'The title of the document in this version.' }),
    content: t.exposeString('content', {
      extensions: longText,
      description: 'The content of the document in this version: plain or rich text (ProseMirror JSON).',
    }),
    titleChanged: t.boolean({
      description: 'Whether the title differs from the previous version. False for the first version.',
      select: { title: true, previous: { select: { title: true } } },
      resolve: ({ title, previous }) => previous !== null && previous.title !== title,
    }),
    contentChanged: t.boolean({
      extensions: twoLongTexts,
      description: 'Whether the content differs from the previous version. False for the first version.',
      select: { comparison: { select: { contentChanged: true } } },
      resolve: ({ comparison }) => comparison?.contentChanged === true,
    }),
    diffToPrevious: t.field({
      type: DocumentDifference,
      extensions: twoLongTexts,
      nullable: true,
      description: 'The difference between the previous version and this version. Null if this is the first version.',
      select: { title: true, content: true, previous: { select: { title: true, content: true } } },
      resolve: ({ title, content, previous }) => previous && { before: previous, after: { title, content } },
    }),
    diffToCurrent: t.field({
      type: DocumentDifference,
      extensions: twoLongTexts,
      nullable: true,
      description: 'The difference between this version and the current version. Null if this is the current version.',
      select: {
        title: true,
        content: true,
        versionNumber: true,
        document: { select: { name: true, content: true, currentVersion: true } },
      },
      resolve: ({ title, content, versionNumber, document }) =>
        versionNumber === document.currentVersion
          ? null
          : { before: { title, content }, after: { title: document.name, content: document.content } },
    }),
    editor: t.relation('editor', { type: Person, description: 'The person who created the version.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the version was created.' }),
    isCurrent: t.boolean({
      description: 'Whether this is the current version of the document.',
      select: { versionNumber: true, document: { select: { currentVersion: true } } },
      resolve: ({ versionNumber, document }) => versionNumber === document.currentVersion,
    }),
    origin: t.expose('origin', { type: VersionOrigin, description: 'How the version was created.' }),
    restoredFromVersionNumber: t.exposeInt('restoredFromVersionNumber', {
      nullable: true,
      description: 'The number of the version that was restored. Null if `origin` is not `RESTORED`.',
    }),
  }),
});

const DocumentVersionConnection = connectionType(
  'DocumentVersion',
  DocumentVersion,
  'A page of the versions of a document, newest first.',
);

const pageOfVersions = pagesOf('DocumentVersion', (db) => db.documentVersion);

builder.prismaObjectField(ResourceHubDocument, 'versions', (t) =>
  t.field({
    type: DocumentVersionConnection,
    description: 'The versions of the document, newest first. Empty for a draft.',
    args: pageArguments,
    extensions: checkedPage(versionCursor),
    select: { id: true },
    resolve: ({ id }, args, context, info) => pageOfVersions(context, info, args, versionList(context.actor), id),
  }),
);

builder.prismaObjectField(ResourceHubDocument, 'version', (t) =>
  t.field({
    type: DocumentVersion,
    nullable: true,
    description: 'The version of the document with that number. Null if there is none.',
    args: { number: t.arg.int({ required: true, description: 'The number of the version.' }) },
    select: { id: true },
    resolve: ({ id }, { number }, context, info) => {
      const query = plannedQuery(context, info, { select: { ...keyColumns, documentId: true } });
      const load = async (documentIds: readonly string[]) => {
        const documentId = { in: [...documentIds] };
        const where = { companyId: context.actor.companyId, documentId, versionNumber: number };
        const rows = await context.db.documentVersion.findMany({ ...query, where });
        const found = new Map(rows.map((row) => [row.documentId, row]));
        return documentIds.map((one) => found.get(one) ?? null);
      };
      return sharedBySiblings(context, info, () => new DataLoader(load)).load(id);
    },
  }),
);

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
        if (found.number > found.count) {
          const message = `must be at most ${found.count}, the last page of the text`;
          throw badInput([{ field: 'page', code: 'too_large', message }], context);
        }
        return found;
      },
    }),
  );
}
