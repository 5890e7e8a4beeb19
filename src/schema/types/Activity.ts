import { actions, activityActions } from '../../rules/activityActions.js';
import { builder } from '../builder.js';
import { Person } from './Person.js';

const ActivityAction = builder.enumType('ActivityAction', {
  description: 'What happened.',
  values: Object.fromEntries(
    actions.map((action) => [
      action.toUpperCase(),
      { value: action, description: activityActions[action].description },
    ]),
  ),
});

export const Activity = builder.prismaObject('Activity', {
  description: 'Something a person did to a goal, a file or a document.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the activity.' }),
    action: t.expose('action', { type: ActivityAction, description: 'What happened.' }),
    author: t.relation('author', { type: Person, description: 'Who did it.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
});
