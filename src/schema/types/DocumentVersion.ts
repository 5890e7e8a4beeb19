import { builder } from '../builder.js';
import { DocumentDifference } from './DocumentDifference.js';
import { Person } from './Person.js';

const VersionOrigin = builder.enumType('VersionOrigin', {
  description: 'How a version came to be.',
  values: {
    PUBLISHED: { value: 'published', description: 'By publishing the document.' },
    EDITED: { value: 'edited', description: 'By an edit.' },
    RESTORED: { value: 'restored', description: 'By restoring an earlier version.' },
  } as const,
});

export const DocumentVersion = builder.prismaObject('DocumentVersion', {
  description: 'A version of a document. Versions are only ever added: none is changed or removed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the version.' }),
    versionNumber: t.exposeInt('versionNumber', { description: 'Its number: 1, 2, 3 … without a gap.' }),
    title: t.exposeString('title', { description: 'Title of the document in this version.' }),
    content: t.exposeString('content', { description: 'Text of the document in this version, plain or rich text.' }),
    titleChanged: t.boolean({
      description: 'Whether the title differs from the version before; false for the first.',
      select: { title: true, previous: { select: { title: true } } },
      resolve: ({ title, previous }) => previous !== null && previous.title !== title,
    }),
    contentChanged: t.boolean({
      description: 'Whether the text differs from the version before; false for the first.',
      select: { content: true, previous: { select: { content: true } } },
      resolve: ({ content, previous }) => previous !== null && previous.content !== content,
    }),
    diffToPrevious: t.field({
      type: DocumentDifference,
      nullable: true,
      description: 'What this version changed: from the version before to this one. Null for the first.',
      select: { title: true, content: true, previous: { select: { title: true, content: true } } },
      resolve: ({ title, content, previous }) => previous && { before: previous, after: { title, content } },
    }),
    diffToCurrent: t.field({
      type: DocumentDifference,
      nullable: true,
      description: 'What has changed since: from this version to the current one. Null for the current one.',
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
    editor: t.relation('editor', { type: Person, description: 'Who made it.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it was made.' }),
    isCurrent: t.boolean({
      description: 'Whether it is the current version of its document.',
      select: { versionNumber: true, document: { select: { currentVersion: true } } },
      resolve: ({ versionNumber, document }) => versionNumber === document.currentVersion,
    }),
    origin: t.expose('origin', { type: VersionOrigin, description: 'How it came to be.' }),
    restoredFromVersionNumber: t.exposeInt('restoredFromVersionNumber', {
      nullable: true,
      description: 'Number of the version it restored; null unless it came of a restore.',
    }),
  }),
});
