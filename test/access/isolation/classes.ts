import { createHash } from 'node:crypto';
import type { Caller } from './callers.js';
import type { Ladder } from './ladder.js';
import type { Need } from './policy.js';
import type { Target } from './records.js';

/** One caller who asks for one record in one way. */
export interface Cell {
  caller: Caller;
  target: Target;
  need: Need;
  /** The field, and whatever else makes one way of asking differ from another. */
  way: string;
  /** OK, or the code of the failure. */
  wanted: string;
}

/** The first two of each class: what two callers may not see is asked by both. */
const most = 2;

/**
 * Of all cells one of each class: all that the policy reads of a caller and a record, each beside the way of asking. The
 * classes come of the records, grants and states that there are, so that a new one has a class of its own.
 */
export function oneOfEachClass<Of extends Cell>(ladder: Ladder, cells: Of[]): Of[] {
  const [known, seen] = [new Map<string, number>(), new Set<string>()];
  for (const { target, wanted, caller } of cells) if (caller.person && wanted !== 'NOT_FOUND') seen.add(target.id);
  const isFirst = (key: string, count = 1) => {
    const before = known.get(key) ?? 0;
    known.set(key, before + 1);
    return before < count;
  };
  return cells.filter(({ caller, target: { id, state, audience }, way, wanted }) => {
    const { person, company, canWrite } = caller;
    if (!person) return isFirst(`${way} ${caller.name}`);
    const asked = `${way} ${state} ${wanted}`;
    if (!seen.has(id) || ladder.companyOf(id) !== ladder.companyOf(person))
      return isFirst(`${asked} ${audience} ${company} ${seen.has(id)}`, most);
    // Both surfaces run the same operation: what it reads is asked on one of them.
    const [operation] = way.split(' ');
    return [`${asked} ${ladder.levelOf(person, id)} ${canWrite}`, `${operation} ${ladder.reasonsOf(person, id)}`]
      .map((key) => isFirst(key))
      .includes(true);
  });
}

/** All cells, in an order that the seed decides. */
export const inOrderOf = <Of>(seed: number, cells: Of[]): Of[] => {
  const places = new Map(cells.map((cell, n) => [cell, createHash('md5').update(`${seed} ${n}`).digest('hex')]));
  return [...cells].sort((one, other) => ((places.get(one) ?? '') < (places.get(other) ?? '') ? -1 : 1));
};
