import type { Goal } from '../generated/client/client.js';

type People = Pick<Goal, 'championId' | 'reviewerId'>;

/** A person's role in a goal; whoever is both champion and reviewer is the champion. */
export function roleOf({ championId, reviewerId }: People, personId: string): 'champion' | 'reviewer' | null {
  if (championId === personId) return 'champion';
  return reviewerId === personId ? 'reviewer' : null;
}
