import { sentEvents } from '../../events/eventSchemas.js';
import type { JsonSchema } from './jsonSchema.js';

const headers: Record<string, [description: string, example: string]> = {
  'webhook-id': ['The ID of the event, the same in every attempt: what has it already is a duplicate.', '0199…'],
  'webhook-timestamp': ['When the attempt was made, in seconds since 1970.', '1767225600'],
  'webhook-signature': [
    'A signature of Standard Webhooks for each valid secret, with spaces between them.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
  'goalpost-attempt': ['Which attempt it is; 1 only if the event was surely not sent before.', '1'],
};

export const webhookParameters: Record<string, JsonSchema> = Object.fromEntries(
  Object.entries(headers).map(([name, [description, example]]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' }, example },
  ]),
);

/** `goal.reopened` as the name of an operation: `onGoalReopened`. */
const operationId = (type: string) =>
  `on${type.replace(/(^|[._])(\w)/g, (_, _dot, letter: string) => letter.toUpperCase())}`;

/** The requests that go out to webhooks, by the type of their event. */
export const webhooks: Record<string, JsonSchema> = Object.fromEntries(
  sentEvents.map(({ type, description, schema }) => [
    type,
    {
      post: {
        operationId: operationId(type),
        summary: type,
        description,
        tags: ['Webhooks'],
        security: [],
        parameters: Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: { description, required: true, content: { 'application/json': { schema } } },
        responses: {
          '2XX': { description: 'The event has arrived, and is not sent again.' },
          '410': { description: 'The endpoint is gone. The webhook is disabled.' },
          default: {
            description: 'The event is sent again later. `Retry-After` of 429 and 503 is obeyed, up to an hour.',
          },
        },
      },
    },
  ]),
);
