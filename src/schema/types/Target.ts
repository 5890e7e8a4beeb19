import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';

export const Target = builder.prismaObject('Target', {
  select: keyColumns,
  description: 'A measurable target of a goal.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the target.' }),
    index: t.exposeInt('index', { description: 'The position among the targets of the goal.' }),
    name: t.exposeString('name', { description: 'The name of the target.' }),
    from: t.exposeFloat('from', { description: 'The value at the start, in `unit`.' }),
    to: t.exposeFloat('to', { description: 'The value to reach, in `unit`. It can be lower than `from`.' }),
    unit: t.exposeString('unit', {
      nullable: true,
      description: 'The unit of the values. Null if they are plain numbers.',
    }),
    value: t.exposeFloat('value', { description: 'The current value, in `unit`.' }),
  }),
});
