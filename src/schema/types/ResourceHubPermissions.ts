import { level } from '../../policies/access.js';
import { builder } from '../builder.js';

export const ResourceHubPermissions = builder.objectRef<number>('ResourceHubPermissions').implement({
  description:
    'What the caller can do in a resource hub. Commenting requires level 40, and every change requires level 70.',
  fields: (t) => {
    const from = (needed: number, description: string) =>
      t.boolean({ description: `Whether the caller can ${description}.`, resolve: (own) => own >= needed });
    return {
      canView: from(level.view, 'see the hub'),
      canCommentOnDocument: from(level.comment, 'comment on documents'),
      canCommentOnFile: from(level.comment, 'comment on files'),
      canCommentOnLink: from(level.comment, 'comment on links'),
      canCreateDocument: from(level.edit, 'create documents'),
      canCreateFolder: from(level.edit, 'create folders'),
      canCreateFile: from(level.edit, 'create files'),
      canCreateLink: from(level.edit, 'create links'),
      canEditDocument: from(level.edit, 'edit documents and restore their versions'),
      canEditFile: from(level.edit, 'edit files'),
      canEditLink: from(level.edit, 'edit links'),
      canEditParentFolder: from(level.edit, 'move items to another folder'),
      canDeleteDocument: from(level.edit, 'delete documents'),
      canDeleteFile: from(level.edit, 'delete files'),
      canDeleteFolder: from(level.edit, 'delete folders'),
      canDeleteLink: from(level.edit, 'delete links'),
      canCopyFolder: from(level.edit, 'copy folders'),
      canRenameFolder: from(level.edit, 'rename folders'),
    };
  },
});
