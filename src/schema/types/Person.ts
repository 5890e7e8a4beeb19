import type { Person as PersonRow } from '../../database/generated/client/client.js';
import { builder } from '../builder.js';

const PersonType = builder.enumType('PersonType', {
  description: 'What kind of member of the company a person is.',
  values: {
    HUMAN: { value: 'human', description: 'A member of the company.' },
    GUEST: { value: 'guest', description: 'A guest: has only what is granted personally or through a space.' },
    AI: { value: 'ai', description: 'An automated member of the company.' },
  } as const,
});

/** All of a person that is ever shown: always loaded whole, so that a person may come from any query. */
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
  select: personColumns,
  fields: (t) => ({
    id: t.id({ description: 'Id of the person.', resolve: ({ id }) => id }),
    fullName: t.string({ description: 'Name as it is shown.', resolve: ({ fullName }) => fullName }),
    title: t.string({
      nullable: true,
      description: 'Job title; null when none is given.',
      resolve: ({ title }) => title,
    }),
    email: t.string({
      nullable: true,
      description: 'E-mail address; null when none is known.',
      resolve: ({ email }) => email,
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'Address of the picture; null without one.',
      resolve: ({ avatarUrl }) => avatarUrl,
    }),
    type: t.field({ type: PersonType, description: 'What kind of member the person is.', resolve: ({ type }) => type }),
  }),
});
