import type { Goal } from '../generated/client/client.js';

/** The access that a goal, project or space gives to groups of people. */
export type Levels = Pick<Goal, 'publicLevel' | 'companyLevel' | 'spaceLevel'>;

/** The widest group of people that a goal or project is open to, by its access levels. */
export function privacyOf({ publicLevel, companyLevel, spaceLevel }: Levels) {
  if (publicLevel > 0) return 'public';
  if (companyLevel > 0) return 'internal';
  return spaceLevel > 0 ? 'confidential' : 'secret';
}
