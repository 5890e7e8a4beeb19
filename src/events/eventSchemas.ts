import { actions, activityActions, originNames } from '../rules/activityActions.js';
import { type EventSubject, eventFields, eventTypeOf } from './event.js';

type Schema = Record<string, unknown>;

const id = (description: string): Schema => ({ type: 'string', description });
const versionNumber = (description: string): Schema => ({ type: 'integer', minimum: 1, description });

const subject: Record<keyof EventSubject, Schema> = {
  goal_id: id('The ID of the goal.'),
  file_id: id('The ID of the file.'),
  document_id: id('The ID of the document.'),
  resource_hub_id: id('The ID of the hub that the file or document is in.'),
  version_id: id('The ID of the version that was added.'),
  version_number: versionNumber('The number of that version.'),
  restored_from_version_number: versionNumber('The number of the version that was restored.'),
};

const objectOf = (properties: Record<string, Schema>, description: string): Schema => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  properties,
});

const head = (type: string, idOf: string, time: string) => ({
  id: id(idOf),
  type: { type: 'string', const: type, description: 'What happened.' },
  timestamp: { type: 'string', format: 'date-time', description: time },
});
const company = { company_id: id('The ID of the company.') };
const origin = { type: 'string', enum: originNames, description: 'Who wrote it. New origins may be added.' };

/** What is sent to a webhook: its type, what it means, and the JSON Schema of its body. */
export interface SentEvent {
  type: string;
  description: string;
  /** The members of `data`, besides `author_id`. */
  fields: readonly string[];
  schema: Schema;
}

/** Every event, and the ping. */
export const sentEvents: readonly SentEvent[] = [
  ...actions.map((action): SentEvent => {
    const type = eventTypeOf(action);
    const { description } = activityActions[action];
    const fields = eventFields[action];
    const data = objectOf(
      {
        author_id: id('The ID of the person who did it.'),
        ...Object.fromEntries(fields.map((field) => [field, subject[field]])),
      },
      'What it is about: IDs, and what never changes.',
    );
    const sequence = {
      type: 'integer',
      minimum: 1,
      description: 'The number of the event among those of the company, from 1.',
    };
    const properties = {
      ...head(type, 'The ID of the event, the same whenever it is sent.', 'When it happened.'),
      sequence,
      ...company,
      origin,
      data,
    };
    return { type, description, fields, schema: objectOf(properties, description) };
  }),
  {
    type: 'ping',
    description: 'An owner tries the webhook.',
    fields: [],
    schema: objectOf(
      { ...head('ping', 'An ID of its own.', 'When it was sent.'), ...company },
      'An owner tries the webhook. It has no sequence and no data.',
    ),
  },
];
