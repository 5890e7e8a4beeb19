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

interface Measure {
  from: number;
  to: number;
  value: number;
}

const progressOf = ({ from, to, value }: Measure) =>
  from === to ? 0 : Math.min(100, Math.max(0, ((value - from) / (to - from)) * 100));

/** Mean of the targets' progress and, if there is a checklist, its share done; 0 to 100, 0 with neither. */
export function progressPercentage(targets: Measure[], checklist: { completed: boolean }[]): number {
  const parts = targets.map(progressOf);
  if (checklist.length > 0)
    parts.push((checklist.filter(({ completed }) => completed).length / checklist.length) * 100);
  return parts.length === 0 ? 0 : parts.reduce((sum, part) => sum + part, 0) / parts.length;
}
