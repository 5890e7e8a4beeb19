import type { Audience, Change, History } from './history.js';
import type { Activity, Snapshot } from './snapshot.js';

/** Each recipient is notified once and nobody else is; a reopening subscribes its author and those it names. */
export function audienceProblems({ mutations, audience }: History, { activities }: Snapshot): string[] {
  const reopenings = new Map<string, Change & { kind: 'reopen' }>();
  for (const { changes } of mutations)
    for (const change of changes) if (change.kind === 'reopen') reopenings.set(change.message, change);
  return activities.flatMap((activity) => {
    const say = (what: string) =>
      `${activity.action} ${activity.goal_id ?? activity.file_id} of ${activity.author_id}: ${what}`;
    if (activity.action !== 'goal_reopened') {
      const subscribers = activity.action === 'resource_hub_file_deleted' ? audience.fileSubscribers : [];
      return differs(activity.notified, recipients(activity, subscribers, audience)).map(say);
    }
    const change = reopenings.get(activity.message ?? '');
    if (!change) return [say('nobody asked for it')];
    const subscribed = [...new Set([activity.author_id, ...change.subscriberIds])];
    const told = change.everyone ? [...audience.members, ...subscribed] : subscribed;
    return [
      ...differs(activity.notified, recipients(activity, told, audience)),
      ...differs(activity.subscribed, subscribed).map((what) => `subscriptions: ${what}`),
      ...(activity.everyone === change.everyone ? [] : ['the flag for everyone is wrong']),
    ].map(say);
  });
}

const recipients = ({ author_id }: Activity, people: string[], { excluded }: Audience) => [
  ...new Set(people.filter((id) => id !== author_id && !excluded.includes(id))),
];

function differs(found: string[], expected: string[]): string[] {
  const [left, right] = [found, expected].map((ids) => ids.toSorted().join(', '));
  return left === right ? [] : [`notified [${left}], expected [${right}]`];
}
