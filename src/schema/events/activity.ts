import { actions, activityActions, originDescriptions, originNames } from '../../rules/activityActions.js';
import { builder, keyColumns } from '../builder.js';
import { Person } from '../people/person.js';

export const ActivityAction = builder.enumType('ActivityAction', {
  description: 'The action of a person in an activity.',
  values: Object.fromEntries(
    actions.map((action) => [
      action.toUpperCase(),
      { value: action, description: activityActions[action].description },
    ]),
  ),
});

export const EventOrigin = builder.enumType('EventOrigin', {
  description: 'Who wrote an event.',
  values: Object.fromEntries(
    originNames.map((origin) => [origin.toUpperCase(), { value: origin, description: originDescriptions[origin] }]),
  ),
});

export const Activity = builder.prismaObject('Activity', {
  select: keyColumns,
  description: 'An action of a person on a goal, file or document.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the activity.' }),
    action: t.expose('action', { type: ActivityAction, description: 'The action.' }),
    author: t.relation('author', { type: Person, description: 'The person who performed the action.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the activity happened.' }),
  }),
});
