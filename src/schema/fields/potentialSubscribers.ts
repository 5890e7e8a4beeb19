import { potentialSubscribers } from '../../rules/potentialSubscribers.js';
import { builder } from '../builder.js';
import { latest, oldestFirst } from '../order.js';
import { Goal } from '../types/Goal.js';
import { personColumns } from '../types/Person.js';
import { ResourceHubDocument } from '../types/ResourceHubDocument.js';
import { ResourceHubFile } from '../types/ResourceHubFile.js';
import { Subscriber } from '../types/Subscriber.js';
import { everybody } from '../weights.js';

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
