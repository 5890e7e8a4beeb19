import { level } from '../../policies/access.js';
import { builder } from '../builder.js';

export const GoalPermissions = builder.objectRef<number>('GoalPermissions').implement({
  description: 'What the caller may do with a goal.',
  fields: (t) => ({
    canView: t.boolean({ description: 'May see it (level 10).', resolve: (own) => own >= level.view }),
    canComment: t.boolean({ description: 'May comment on it (level 40).', resolve: (own) => own >= level.comment }),
    canEdit: t.boolean({ description: 'May change and reopen it (level 70).', resolve: (own) => own >= level.edit }),
    hasFullAccess: t.boolean({ description: 'Has full access (level 100).', resolve: (own) => own >= level.full }),
  }),
});
