import { builder } from '../builder.js';

interface Levels {
  publicLevel: number;
  companyLevel: number;
  spaceLevel: number;
}

export const AccessLevels = builder.objectRef<Levels>('AccessLevels').implement({
  description: 'Access a resource gives, as levels: 0 none, 10 view, 40 comment, 70 edit, 100 full.',
  fields: (t) => ({
    public: t.exposeInt('publicLevel', {
      description: 'A level above 0 marks the resource as public; gives no access by itself.',
    }),
    company: t.exposeInt('companyLevel', { description: 'Level of everyone in the company but guests.' }),
    space: t.exposeInt('spaceLevel', { description: 'Level of the members of its space.' }),
  }),
});

/** The columns that access levels and privacy are read from. */
export const levelColumns = { publicLevel: true, companyLevel: true, spaceLevel: true } as const;
