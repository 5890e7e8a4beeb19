import { builder } from '../builder.js';
import { keyColumns } from '../keyColumns.js';

const outcomes = {
  acknowledged: ['ACKNOWLEDGED', 'The endpoint responded with a status from 200 to 299.'],
  failed: ['FAILED', 'It did not. The event is sent again, unless it was asked for by `sendWebhook`.'],
  given_up: ['GIVEN_UP', 'It did not, after eight retries. The event is not sent again.'],
} as const;

const WebhookAttemptOutcome = builder.enumType('WebhookAttemptOutcome', {
  description: 'What came of an attempt.',
  values: Object.fromEntries(
    Object.entries(outcomes).map(([value, [name, description]]) => [name, { value, description }]),
  ),
});

export const WebhookAttempt = builder.prismaObject('WebhookAttempt', {
  select: keyColumns,
  description: 'A request to a webhook, and what came of it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The ID of the attempt.' }),
    eventId: t.exposeID('eventId', {
      description: 'The ID of the event, which is that of the activity; or of the ping.',
    }),
    type: t.exposeString('type', { description: 'The type of the event, such as `goal.reopened`, or `ping`.' }),
    sequence: t.expose('sequence', {
      type: 'BigInt',
      nullable: true,
      description: 'The number of the event among those of the company. Null for a ping.',
    }),
    attempt: t.exposeInt('attempt', {
      description: 'The number in the header `goalpost-attempt`: 1 only if the event was surely not sent before.',
    }),
    outcome: t.expose('outcome', { type: WebhookAttemptOutcome, description: 'What came of it.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'The status of the response, a number from 100 to 599. Null if none came.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why no response came. Null if one came.' }),
    milliseconds: t.exposeInt('milliseconds', { description: 'The number of milliseconds that it took.' }),
    response: t.exposeString('response', {
      nullable: true,
      description: 'The beginning of the response to a failure, at most 1,000 characters. Null if there is none.',
    }),
    attemptedAt: t.expose('attemptedAt', { type: 'DateTime', description: 'When it was recorded.' }),
  }),
});
