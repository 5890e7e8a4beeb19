import { level } from '../../policies/access.js';
import { builder } from '../builder.js';

export const GoalPermissions = builder.objectRef<number>('GoalPermissions').implement({
  description: 'What the caller can do with a goal.',
  fields: (t) => ({
    canView: t.boolean({
      description: 'Whether the caller can see the goal (level 10).',
      resolve: (own) => own >= level.view,
    }),
    canComment: t.boolean({
      description: 'Whether the caller can comment on the goal (level 40).',
      resolve: (own) => own >= level.comment,
    }),
    canEdit: t.boolean({
      description: 'Whether the caller can edit and reopen the goal (level 70).',
      resolve: (own) => own >= level.edit,
    }),
    hasFullAccess: t.boolean({
      description: 'Whether the caller has full access to the goal (level 100).',
      resolve: (own) => own >= level.full,
    }),
  }),
});
