import type { Person as PersonRow } from '../generated/client/client.js';

type Member = Pick<PersonRow, 'id' | 'fullName' | 'title' | 'suspendedAt'>;

interface Concerned<Person> {
  champion?: Person | null;
  reviewer?: Person | null;
  space: { members: { person: Person }[] };
}

interface List {
  subscriptions: { personId: string; canceled: boolean }[];
}

export interface PotentialSubscriber<Person> {
  role: string | null;
  priority: boolean;
  isSubscribed: boolean;
  person: Person;
}

const collator = new Intl.Collator('en');

/** Champion and reviewer first, then the members of the space by name; each person once, and nobody suspended. */
export function potentialSubscribers<Person extends Member>(
  { champion, reviewer, space }: Concerned<Person>,
  list: List | null | undefined,
): PotentialSubscriber<Person>[] {
  const subscribed = new Set(list?.subscriptions.filter(({ canceled }) => !canceled).map(({ personId }) => personId));
  const found = new Map<string, PotentialSubscriber<Person>>();
  const add = (person: Person | null | undefined, role: string | null | undefined, priority: boolean) => {
    if (!person || person.suspendedAt || found.has(person.id)) return;
    found.set(person.id, { role: role ?? null, priority, isSubscribed: subscribed.has(person.id), person });
  };
  add(champion, 'Champion', true);
  add(reviewer, 'Reviewer', true);
  const members = space.members.map(({ person }) => person);
  members.sort((a, b) => collator.compare(a.fullName, b.fullName) || (a.id < b.id ? -1 : 1));
  for (const member of members) add(member, member.title, false);
  return [...found.values()];
}
