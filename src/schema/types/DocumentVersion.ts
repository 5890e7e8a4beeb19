import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';
import { longText, twoLongTexts } from '../weights.js';
import { DocumentDifference } from './DocumentDifference.js';
import { Person } from './Person.js';

const VersionOrigin = builder.enumType('VersionOrigin', {
  description: 'How a version was created.',
  values: {
    PUBLISHED: { value: 'published', description: 'The document was published.' },
    EDITED: { value: 'edited', description: 'The document was edited.' },
    RESTORED: { value: 'restored', description: 'An earlier version was restored.' },
  } as const,
});

export const DocumentVersion = builder.prismaObject('DocumentVersion', {
  select: keyColumns,
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
      select: { content: true, previous: { select: { content: true } } },
      resolve: ({ content, previous }) => previous !== null && previous.content !== content,
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
