import { type PageArguments, pageErrors, textErrors } from '../../lists/engine.js';
import { peopleCursor, peopleList } from '../../lists/people.js';
import { builder, everyName, namedText } from '../builder.js';
import { connectionType, pageArguments, resolveConnection, rowsOfModel } from '../connections.js';
import { Person } from './person.js';

export const PersonConnection = connectionType('Person', Person, 'A page of people, sorted by name.');

type PeopleArguments = PageArguments & { text?: string | null };

builder.queryField('people', (t) =>
  t.field({
    type: PersonConnection,
    description:
      'Finds people of the company by name, sorted by name; suspended people are left out. A guest finds only the members of ' +
      "the guest's own spaces. Error: BAD_USER_INPUT.",
    extensions: {
      ...everyName,
      check: ({ text, ...page }: PeopleArguments) => [...textErrors('text', text), ...pageErrors(peopleCursor, page)],
    },
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
      resolveConnection(context, info, args, {
        list: peopleList(context.actor, text),
        ...rowsOfModel(context, info, ['Person', context.db.person]),
      }),
  }),
);
