import { builder } from '../builder.js';

export const Target = builder.prismaObject('Target', {
  description: 'A measurable target of a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the target.' }),
    index: t.exposeInt('index', { description: 'Position among the targets of the goal.' }),
    name: t.exposeString('name', { description: 'What is measured.' }),
    from: t.exposeFloat('from', { description: 'Value at the start, in `unit`.' }),
    to: t.exposeFloat('to', { description: 'Value to reach, in `unit`; may be below `from`.' }),
    unit: t.exposeString('unit', { nullable: true, description: 'Unit of the values; null for a plain number.' }),
    value: t.exposeFloat('value', { description: 'Value now, in `unit`.' }),
  }),
});
