import { createHash } from 'node:crypto';
import type { ActivityAction, EventOrigin } from '../generated/client/enums.js';
import { type CursorKind, cursorOf, type Position } from '../lists/engine.js';
import { activityActions } from '../operations/index.js';
import { badInput } from '../platform/failures/index.js';
import type { Transaction } from '../platform/postgres/index.js';
import {
  actions,
  type EventSubject,
  fieldsOfSubject,
  originNames,
  type SubjectField,
  subjectOf,
} from '../rules/activityActions.js';

/** The type of an event: its action with the last `_` as a dot, such as `goal.reopened`. */
export const eventTypeOf = (action: ActivityAction): string => action.replace(/_(?=[^_]*$)/, '.');

/** Whether this version knows the action: a newer one may have written it. */
export const isKnownAction = (action: string): action is ActivityAction => Object.hasOwn(activityActions, action);

/** The members of `data`, besides `author_id`, in the events of an action. */
export const eventFields = (action: ActivityAction): readonly SubjectField[] => [
  ...fieldsOfSubject[subjectOf(action)],
  ...(activityActions[action].moreFields ?? []),
];

export interface Event {
  id: string;
  companyId: string;
  action: ActivityAction;
  origin: EventOrigin;
  sequence: number;
  insertedAt: Date;
  authorId: string;
  /** What is null is not said. */
  subject: { [Field in SubjectField]?: EventSubject[Field] | null };
}

const markLength = 12;

/** A cursor may be of an event that the caller cannot see, so it has a mark in place of its id. */
const markOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, markLength);

const mark = new RegExp(`^[\\w-]{${markLength}}$`);

export const eventKind: CursorKind = { name: 'events', key: 'bigint', markOf, mark };

export const eventCursor = (sequence: number, id: string) => cursorOf(eventKind, { rank: 0, key: sequence, id });

/** Whether the company has the event of a cursor: not if it is another database's, or this one was set back. A purged event is no such sign. */
export async function isKnownEvent(db: Transaction, companyId: string, { key, id: mark }: Position): Promise<boolean> {
  const [row] = await db.$queryRaw<{ last: bigint; id: string | null }[]>`
    SELECT c.last_sequence AS last,
      (SELECT a.id FROM activities a WHERE a.company_id = ${companyId} AND a.sequence = ${key}::bigint) AS id
    FROM companies c WHERE c.id = ${companyId}`;
  const { last = 0n, id = null } = row ?? {};
  return Number(key) <= last && (id === null || markOf(id) === mark);
}

/** Throws 400 if the company does not have the event of a cursor. */
export async function requireKnown(
  db: Transaction,
  { companyId, after, field, remedy }: { companyId: string; after: Position; field: string; remedy: string },
): Promise<void> {
  if (!(await isKnownEvent(db, companyId, after)))
    throw badInput([{ field, code: 'invalid', message: `${unknown}. ${remedy}` }]);
}

const unknown =
  'is not a cursor of an event of this company in this database: it is of another one, or this one was set back to an earlier moment';

/**
 * An event as others get it. Below 2 kB: ids and what never changes, no names, texts or addresses. If a newer version wrote
 * it, what is known of it.
 */
export function eventBody({ id, action, origin, insertedAt, sequence, companyId, authorId, subject }: Event) {
  const fields = isKnownAction(action) ? eventFields(action) : everyField;
  const members = fields.map((field) => [field, subject[field] ?? undefined]);
  return {
    id,
    type: eventTypeOf(action),
    timestamp: insertedAt.toISOString(),
    sequence,
    company_id: companyId,
    origin,
    data: { author_id: authorId, ...Object.fromEntries(members) },
  };
}

type Schema = Record<string, unknown>;

const id = (description: string): Schema => ({ type: 'string', description });
const versionNumber = (description: string): Schema => ({ type: 'integer', format: 'int32', minimum: 1, description });

const subject: Record<SubjectField, Schema> = {
  goal_id: id('The ID of the goal.'),
  file_id: id('The ID of the file.'),
  document_id: id('The ID of the document.'),
  resource_hub_id: id('The ID of its hub.'),
  version_id: id('The ID of the version that was added.'),
  version_number: versionNumber('The number of that version.'),
  restored_from_version_number: versionNumber('The number of the version that was restored.'),
};

const everyField = Object.keys(subject) as SubjectField[];

const objectOf = (properties: Record<string, Schema>, description: string): Schema => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  properties,
});

const idOf = (what: string) => id(`${what} An opaque string: a UUID, unless it was imported with another.`);
const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description });
const company = { company_id: id('The ID of the company.') };

const exampleOfReopening = {
  id: '0199f7a2-7c1e-7d3b-9a55-3f1f0c2b4e10',
  type: 'goal.reopened',
  timestamp: '2026-03-14T09:26:53.589Z',
  sequence: 4711,
  company_id: 'acme',
  origin: 'api',
  data: { author_id: 'person-ines-moreau', goal_id: 'goal-launch-mobile-app' },
};

/** What every event has. Each type refines it. */
export const envelope: Schema = {
  ...objectOf(
    {
      id: idOf('The ID of the event, which is that of its activity and the same whenever it is sent.'),
      type: { type: 'string', description: 'What happened. New types may be added.' },
      timestamp: time('When it happened.'),
      sequence: {
        type: 'integer',
        format: 'int64',
        minimum: 1,
        description: 'The number of the event among those of the company, from 1.',
      },
      ...company,
      origin: {
        anyOf: [{ type: 'string', enum: originNames }, { type: 'string' }],
        description: 'Who wrote it. New origins may be added.',
      },
      data: {
        ...objectOf(
          { author_id: id('The ID of the person who did it.') },
          'What it is about: IDs, and what never changes. Each type has more.',
        ),
        additionalProperties: true,
      },
    },
    'An event, as webhooks and `Event.body` of GraphQL have it.',
  ),
  examples: [exampleOfReopening],
};

/** `goal.reopened` -> `GoalEventData`: the component for the `data` of all events that begin so. */
const dataName = (type: string) =>
  `${type.replace(/\..*$/, '').replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}EventData`;

/** The `data` of events, besides `author_id`, by the names of their components. */
export const eventData: Record<string, Schema> = Object.fromEntries(
  actions.map((action) => {
    const fields = eventFields(action);
    const properties = Object.fromEntries(fields.map((field) => [field, subject[field]]));
    return [dataName(eventTypeOf(action)), { type: 'object', properties, required: [...fields] }];
  }),
);

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
    const fields = eventFields(action);
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Event' }],
      properties: {
        type: { const: type },
        data: { $ref: `#/components/schemas/${dataName(type)}` },
      },
    };
    return { type, description, fields, schema };
  }),
  {
    type: 'ping',
    description: 'An owner tries the webhook.',
    fields: [],
    schema: objectOf(
      {
        id: idOf('An ID of its own.'),
        type: { type: 'string', const: 'ping', description: 'What happened.' },
        timestamp: time('When it was sent.'),
        ...company,
      },
      'An owner tries the webhook. It has no sequence and no data.',
    ),
  },
];
