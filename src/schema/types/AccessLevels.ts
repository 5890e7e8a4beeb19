import { builder } from '../builder.js';

interface Levels {
  publicLevel: number;
  companyLevel: number;
  spaceLevel: number;
}

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
