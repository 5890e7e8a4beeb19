import { builder } from '../builder.js';
import { oldestFirst } from '../order.js';
import { Person, personColumns } from './Person.js';

interface PersonShape {
  id: string;
  fullName: string;
  title: string | null;
  email: string | null;
  avatarUrl: string | null;
  type: 'human' | 'guest' | 'ai';
}

interface SubscriberShape {
  role: string | null;
  priority: boolean;
  isSubscribed: boolean;
  person: PersonShape;
}

export const Subscriber = builder.objectRef<SubscriberShape>('Subscriber').implement({
  description: 'A person who may want to be told of what happens here.',
  fields: (t) => ({
    role: t.exposeString('role', {
      nullable: true,
      description: '`Champion`, `Reviewer` or the job title; null without one.',
    }),
    priority: t.exposeBoolean('priority', { description: 'Whether the person is the champion or the reviewer.' }),
    isSubscribed: t.exposeBoolean('isSubscribed', { description: 'Whether the person has a live subscription.' }),
    person: t.expose('person', { type: Person, description: 'The person.' }),
  }),
});

/** The part of a selection that loads whom a goal or a project concerns. */
export const concernedPeople = {
  champion: { select: personColumns },
  reviewer: { select: personColumns },
  space: { select: { members: { select: { person: { select: personColumns } } } } },
} as const;

/** The part of a selection that tells who is subscribed. */
export const subscribedPeople = {
  select: { subscriptions: { ...oldestFirst, select: { personId: true, canceled: true } } },
} as const;

interface Concerned {
  champion?: PersonShape | null;
  reviewer?: PersonShape | null;
  space: { members: { person: PersonShape }[] };
}

/** Champion and reviewer first, then the members of the space by name; each person once. */
export function potentialSubscribers(
  { champion, reviewer, space }: Concerned,
  list: { subscriptions: { personId: string; canceled: boolean }[] } | null | undefined,
): SubscriberShape[] {
  const subscribed = new Set(list?.subscriptions.filter(({ canceled }) => !canceled).map(({ personId }) => personId));
  const found = new Map<string, SubscriberShape>();
  const add = (person: PersonShape | null | undefined, role: string | null | undefined, priority: boolean) => {
    if (!person || found.has(person.id)) return;
    found.set(person.id, { role: role ?? null, priority, isSubscribed: subscribed.has(person.id), person });
  };
  add(champion, 'Champion', true);
  add(reviewer, 'Reviewer', true);
  const members = space.members.map(({ person }) => person);
  members.sort((a, b) => a.fullName.localeCompare(b.fullName, 'en') || (a.id < b.id ? -1 : 1));
  for (const member of members) add(member, member.title, false);
  return [...found.values()];
}
