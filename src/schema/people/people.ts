import type { OutputRef } from '@pothos/core';
import type { Person as PersonRow } from '../../generated/client/client.js';
import type { CursorKind, List } from '../../lists/engine.js';
import { peopleCursor, peopleList } from '../../lists/people.js';
import type { Actor } from '../../policies/access.js';
import { builder, byKey, enumOf, everyName, namedText } from '../builder.js';
import { checkedPage, checkedSearch, connectionType, pageArguments, pagesOf } from '../connections.js';

const PersonType = enumOf('PersonType', 'The kind of a person.', {
  human: 'A member of the company.',
  guest: 'A guest, who has only the access granted personally or through a space.',
  ai: 'An automated member of the company.',
});

/** All columns that are ever shown. They are always loaded together, so that a person can come from any query. */
export const personColumns = {
  id: true,
  fullName: true,
  title: true,
  email: true,
  avatarUrl: true,
  type: true,
} as const;

export type PersonShape = Pick<PersonRow, keyof typeof personColumns>;

export const Person = builder.prismaObject('Person', {
  description: "A person of the caller's company.",
  ...byKey,
  select: personColumns,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the person.' }),
    fullName: t.exposeString('fullName', { description: 'The full name.' }),
    title: t.exposeString('title', { nullable: true, description: 'The job title. Null if there is none.' }),
    email: t.exposeString('email', { nullable: true, description: 'The email address. Null if it is unknown.' }),
    avatarUrl: t.exposeString('avatarUrl', {
      nullable: true,
      description: 'The URL of the profile picture. Null if there is none.',
    }),
    type: t.expose('type', { type: PersonType, description: 'The kind of the person.' }),
  }),
});

const PersonConnection = connectionType('Person', Person, 'A page of people, sorted by name.');

const pageOfPeople = pagesOf('Person', (db) => db.person);

/** Gives a preview the people whom its operation would concern. */
export const addPeople = <Preview extends object>(
  preview: OutputRef<Preview>,
  name: string,
  description: string,
  cursor: CursorKind,
  listOf: (preview: Preview, actor: Actor) => List,
) =>
  builder.objectField(preview as Parameters<typeof builder.objectField>[0], name, (t) =>
    t.field({
      type: PersonConnection,
      description,
      args: pageArguments,
      extensions: checkedPage(cursor),
      resolve: (row, args, context, info) => pageOfPeople(context, info, args, listOf(row as Preview, context.actor)),
    }),
  );

builder.queryField('people', (t) =>
  t.field({
    type: PersonConnection,
    description:
      'Finds people of the company by name, sorted by name; suspended people are left out. A guest finds only the members of ' +
      "the guest's own spaces. Error: BAD_USER_INPUT.",
    extensions: { ...everyName, ...checkedSearch(peopleCursor) },
    args: {
      text: t.arg.string({
        required: false,
        description:
          'What the name contains: words in any order, ignoring case and accents. If it is null, returns all people.',
        extensions: namedText,
      }),
      ...pageArguments,
    },
    resolve: (_root, { text, ...args }, context, info) =>
      pageOfPeople(context, info, args, peopleList(context.actor, text)),
  }),
);
