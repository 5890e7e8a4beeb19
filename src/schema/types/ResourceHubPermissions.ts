import { level } from '../../policies/access.js';
import { builder } from '../builder.js';

export const ResourceHubPermissions = builder.objectRef<number>('ResourceHubPermissions').implement({
  description:
    'What the caller may do in a resource hub: commenting from level 40, everything that changes it from 70.',
  fields: (t) => {
    const from = (needed: number, description: string) =>
      t.boolean({ description: `May ${description}.`, resolve: (own) => own >= needed });
    return {
      canView: from(level.view, 'see what is in it'),
      canCommentOnDocument: from(level.comment, 'comment on a document'),
      canCommentOnFile: from(level.comment, 'comment on a file'),
      canCommentOnLink: from(level.comment, 'comment on a link'),
      canCreateDocument: from(level.edit, 'add a document'),
      canCreateFolder: from(level.edit, 'add a folder'),
      canCreateFile: from(level.edit, 'add a file'),
      canCreateLink: from(level.edit, 'add a link'),
      canEditDocument: from(level.edit, 'change a document and restore its versions'),
      canEditFile: from(level.edit, 'change a file'),
      canEditLink: from(level.edit, 'change a link'),
      canEditParentFolder: from(level.edit, 'move things to another folder'),
      canDeleteDocument: from(level.edit, 'delete a document'),
      canDeleteFile: from(level.edit, 'delete a file'),
      canDeleteFolder: from(level.edit, 'delete a folder'),
      canDeleteLink: from(level.edit, 'delete a link'),
      canCopyFolder: from(level.edit, 'copy a folder'),
      canRenameFolder: from(level.edit, 'rename a folder'),
    };
  },
});
