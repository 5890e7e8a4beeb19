interface Goal {
  championId: string | null;
  reviewerId: string | null;
}

/** A person's role in a goal; whoever is both champion and reviewer is the champion. */
export function roleOf({ championId, reviewerId }: Goal, personId: string): 'champion' | 'reviewer' | null {
  if (championId === personId) return 'champion';
  return reviewerId === personId ? 'reviewer' : null;
}
