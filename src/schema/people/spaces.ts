import { spaceCursor, spaceList } from '../../lists/spaces.js';
import { visibleTo } from '../../policies/access.js';
import type { Levels } from '../../rules/derived.js';
import { builder, byKey, everyName, lookUpField, namedText } from '../builder.js';
import { checkedSearch, connectionType, pageArguments, pagesOf } from '../connections.js';

export const AccessLevels = builder.objectRef<Levels>('AccessLevels').implement({
  description:
    'The access that a goal, project or space gives to groups of people. Levels: 0 none, 10 view, 40 comment, 70 edit, 100 full.',
  fields: (t) => ({
    public: t.exposeInt('publicLevel', {
      description: 'A level above 0 marks the resource as public. It does not give access by itself.',
    }),
    company: t.exposeInt('companyLevel', { description: 'The level of everyone in the company except guests.' }),
    space: t.exposeInt('spaceLevel', { description: 'The level of the members of the space.' }),
  }),
});

/** The columns that access levels and privacy are read from. */
export const levelColumns = { publicLevel: true, companyLevel: true, spaceLevel: true } as const;

export const Space = builder.prismaObject('Space', {
  ...byKey,
  description: 'A group of people who work together, with its goals, projects and resource hubs.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the space.' }),
    name: t.exposeString('name', { description: 'The name of the space.' }),
    mission: t.exposeString('mission', {
      nullable: true,
      description: 'The purpose of the space. Null if there is none.',
    }),
    isCompanySpace: t.exposeBoolean('isCompanySpace', {
      description: 'Whether this is the space of the whole company.',
    }),
    isMember: t.boolean({
      description: 'Whether the caller is a member of the space.',
      select: (_args, { actor }) => ({
        _count: { select: { members: { where: { companyId: actor.companyId, personId: actor.personId } } } },
      }),
      resolve: ({ _count }) => _count.members > 0,
    }),
    accessLevels: t.field({
      type: AccessLevels,
      description: 'The access that the space gives to groups of people.',
      select: levelColumns,
      resolve: (space) => space,
    }),
  }),
});

lookUpField(
  'space',
  Space,
  { what: 'space', description: 'Looks up a space that the caller can see. Error: NOT_FOUND.' },
  ({ db, actor }, id, query) => db.space.findFirst({ ...query, where: { id, ...visibleTo(actor) } }),
);

const SpaceConnection = connectionType('Space', Space, 'A page of spaces, sorted by name.');

const pageOfSpaces = pagesOf('Space', (db) => db.space, visibleTo);

builder.queryField('spaces', (t) =>
  t.field({
    type: SpaceConnection,
    description: 'Lists the spaces that the caller can see, sorted by name. Error: BAD_USER_INPUT.',
    args: {
      ...pageArguments,
      text: t.arg.string({
        required: false,
        description:
          'Returns only the spaces whose name contains this text: words in any order, ignoring case and accents.',
        extensions: { ...namedText, ...everyName },
      }),
    },
    extensions: checkedSearch(spaceCursor),
    resolve: (_root, { text, ...args }, context, info) =>
      pageOfSpaces(context, info, args, spaceList(context.actor, text)),
  }),
);
