import { type PotentialSubscriber, potentialSubscribers } from '../../rules/potentialSubscribers.js';
import { builder, everybody, latest, oldestFirst } from '../builder.js';
import { Goal } from '../goals/goal.js';
import { ResourceHubDocument } from '../hubs/document.js';
import { ResourceHubFile } from '../hubs/file.js';
import { Person, type PersonShape, personColumns } from './person.js';

const Subscriber = builder.objectRef<PotentialSubscriber<PersonShape>>('Subscriber').implement({
  description: 'A person who may want to subscribe to a goal, file or document.',
  fields: (t) => ({
    role: t.exposeString('role', {
      nullable: true,
      description: '`Champion`, `Reviewer` or the job title. Null if there is none.',
    }),
    isPriority: t.exposeBoolean('priority', { description: 'Whether the person is the champion or the reviewer.' }),
    isSubscribed: t.exposeBoolean('isSubscribed', {
      description: 'Whether the person has a subscription that is not canceled.',
    }),
    person: t.expose('person', { type: Person, description: 'The person.' }),
  }),
});

const candidate = { select: { ...personColumns, suspendedAt: true } } as const;

const concernedPeople = {
  champion: candidate,
  reviewer: candidate,
  space: { select: { members: { select: { person: candidate } } } },
} as const;

const concernedByHub = {
  space: concernedPeople.space,
  goal: { select: concernedPeople },
  project: { select: concernedPeople },
} as const;

const subscribedPeople = {
  select: { subscriptions: { ...oldestFirst, select: { personId: true, canceled: true } } },
} as const;

builder.prismaObjectField(Goal, 'potentialSubscribers', (t) =>
  t.field({
    type: [Subscriber],
    extensions: everybody,
    description:
      "The champion, the reviewer and the members of the goal's space, except suspended people. Some may not be able to see the goal; they are not notified. `isSubscribed` refers to the goal's latest thread.",
    select: {
      ...concernedPeople,
      // Not through `activities`, which `notifications` filters: Pothos would read the goal a second time.
      threads: { ...latest, select: { thread: { select: { subscriptionList: subscribedPeople } } } },
    },
    resolve: (goal) => potentialSubscribers(goal, goal.threads[0]?.thread.subscriptionList),
  }),
);

for (const type of [ResourceHubFile, ResourceHubDocument]) {
  builder.prismaObjectField(type, 'potentialSubscribers', (t) =>
    t.field({
      type: [Subscriber],
      extensions: everybody,
      description:
        "The champion and the reviewer of the hub's goal or project, if any, and the members of its space, except suspended people. Some may not be able to see the hub; they are not notified.",
      select: { resourceHub: { select: concernedByHub }, subscriptionList: subscribedPeople },
      resolve: ({ resourceHub, subscriptionList }) => potentialSubscribers(parentOf(resourceHub), subscriptionList),
    }),
  );
}

interface Hub<Space, Resource> {
  space: Space | null;
  goal: Resource | null;
  project: Resource | null;
}

/** The hub's only parent, with the people it concerns. */
function parentOf<Space, Resource>({ space, goal, project }: Hub<Space, Resource>) {
  const parent = goal ?? project ?? (space && { space });
  if (!parent) throw new Error('a resource hub has no parent');
  return parent;
}
