import { declare } from './declaration.js';

// What it does is in undo.ts, beside the undoing of all that a token did.
export const changeUndoing = declare({
  field: 'undoChange',
  title: 'Take back a change',
  isAddition: true,
  action: null,
  actions: {},
  undo: { cannotBeTakenBack: 'it took another change back' },
  rest: { path: '/undo_change', selection: 'activity { ...ActivityFields undoes { ...ActivityFields } }' },
  tool: { isDestructive: true, selection: '' },
  preview: {
    unchanged: 'It is taken back already.',
    sentence: 'Take back that {undoes.action}: {undoes.name}, by {undoes.author.full_name}',
    selection: `wouldChange state action undoes { ...ActivityFields }
      after { kind: __typename ...ChangedGoal ...ChangedFile ...ChangedDocument } difference { ...ChangeFields }`,
  },
});
