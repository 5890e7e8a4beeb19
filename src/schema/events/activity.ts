import { eventTypeOf } from '../../events/event.js';
import { activityActions } from '../../operations/index.js';
import type { Actor, Surface as SurfaceName } from '../../policies/access.js';
import { actions, originDescriptions } from '../../rules/activityActions.js';
import { builder, enumOf, keyColumns } from '../builder.js';
import { Person } from '../people/person.js';

export const ActivityAction = builder.enumType('ActivityAction', {
  description: 'The action of a person in an activity.',
  values: Object.fromEntries(
    actions.map((action) => [
      action.toUpperCase(),
      { value: action, description: `${activityActions[action].description} Its event is \`${eventTypeOf(action)}\`.` },
    ]),
  ),
});

export const EventOrigin = enumOf('EventOrigin', 'Who wrote an event.', originDescriptions);

export const Surface = enumOf<SurfaceName>('Surface', 'A way into the API.', {
  rest: 'The REST paths.',
  graphql: 'The GraphQL endpoint.',
  mcp: 'The tools of the Model Context Protocol.',
});

const ActivityToken = builder.prismaObject('ApiToken', {
  select: keyColumns,
  variant: 'ActivityToken',
  description: 'The API token that made an activity.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the token, as used on the command line.' }),
    name: t.exposeString('name', { description: 'The name of the token.' }),
    lastFour: t.exposeString('lastFour', {
      description: 'The last four characters of the token, so that people can recognize it.',
    }),
  }),
});

/** Whether the caller may know of a token what it did. */
const viewersOf = ({ companyId, personId }: Actor) => ({
  viewers: { where: { companyId, personId }, select: { personId: true } } as const,
});

export const Activity = builder.prismaObject('Activity', {
  select: keyColumns,
  description: 'An action of a person on a goal, file or document.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the activity.' }),
    action: t.expose('action', { type: ActivityAction, description: 'The action.' }),
    author: t.relation('author', { type: Person, description: 'The person who performed the action.' }),
    insertedAt: t.expose('insertedAt', { type: 'DateTime', description: 'When the activity happened.' }),
    token: t.field({
      type: ActivityToken,
      nullable: true,
      description:
        'The token that made the activity. Null if no token did, or if the caller is neither its person nor an owner of the company.',
      select: (_args, { actor }, nested) => ({
        token: nested({ select: { ...keyColumns, ...viewersOf(actor) } }),
      }),
      resolve: ({ token }) => (token && token.viewers.length > 0 ? token : null),
    }),
    undoes: t.relation('undoes', {
      nullable: true,
      description: 'The activity that this one undoes, on the same record. Null for all others.',
    }),
    surface: t.field({
      type: Surface,
      nullable: true,
      description: 'Where that token was used. Null where `token` is.',
      select: (_args, { actor }) => ({ surface: true, token: { select: viewersOf(actor) } }),
      resolve: ({ surface, token }) => (token && token.viewers.length > 0 ? (surface as SurfaceName) : null),
    }),
  }),
});
