import type { Person as PersonRow } from '../../generated/client/client.js';
import { builder, enumOf } from '../builder.js';

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
  select: personColumns,
  fields: (t) => ({
    id: t.id({ description: 'The ID of the person.', resolve: ({ id }) => id }),
    fullName: t.string({ description: 'The full name.', resolve: ({ fullName }) => fullName }),
    title: t.string({
      nullable: true,
      description: 'The job title. Null if there is none.',
      resolve: ({ title }) => title,
    }),
    email: t.string({
      nullable: true,
      description: 'The email address. Null if it is unknown.',
      resolve: ({ email }) => email,
    }),
    avatarUrl: t.string({
      nullable: true,
      description: 'The URL of the profile picture. Null if there is none.',
      resolve: ({ avatarUrl }) => avatarUrl,
    }),
    type: t.field({ type: PersonType, description: 'The kind of the person.', resolve: ({ type }) => type }),
  }),
});
