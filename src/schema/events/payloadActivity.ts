import { keyOf } from '../../policies/access.js';
import { builder } from '../builder.js';
import { plannedQuery } from '../plans.js';
import { Activity } from './activity.js';

/** Gives a mutation's payload the activity that the call made. The mutation returns its `activityId`, or null. */
export const addActivity = (payload: Parameters<typeof builder.objectField>[0]) => {
  builder.objectField(payload, 'hasChanged', (t) =>
    t.boolean({
      description:
        'Whether this call changed anything. If false, nothing of its input has had an effect: no message was posted, and nobody subscribed or notified.',
      resolve: ({ activityId }: { activityId: string | null }) => activityId !== null,
    }),
  );
  builder.objectField(payload, 'activity', (t) =>
    t.field({
      type: Activity,
      nullable: true,
      description: 'The activity that this call recorded. Null if it changed nothing.',
      resolve: ({ activityId }: { activityId: string | null }, _args, context, info) =>
        activityId === null
          ? null
          : context.db.activity.findUniqueOrThrow({
              ...plannedQuery(context, info),
              where: keyOf(context.actor, activityId),
            }),
    }),
  );
};
