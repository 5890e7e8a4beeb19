import * as z from 'zod';
import { SubscriptionType } from '../../generated/client/enums.js';
import { type ActivitySubject, actionsOn } from '../../rules/activityActions.js';
import type { Table } from '../tables.js';

/** What a string stands for: a value that is unique in its table, or the id of a row elsewhere. */
type Mark = { table: Table; column: 'id' | 'token' } | { refersTo: Table };

export const marks = z.registry<Mark>();

/** Any string that Postgres can hold. */
const string = () => z.string().regex(/^[^\0\p{Cs}]*$/u, 'must not contain NUL or half a surrogate pair');

const idBytes = 200;

/** Short enough for an index on five ids and a name. U+FFFD stands for what a requested id cannot have. */
const idString = () =>
  string()
    .min(1)
    .max(idBytes)
    .refine(
      (value) => value.length > idBytes || Buffer.byteLength(value) <= idBytes,
      `must have at most ${idBytes} bytes in UTF-8`,
    )
    .refine((value) => !value.includes('\uFFFD'), 'must not contain U+FFFD');

/** The id by which the rest of the file refers to a record. */
export const id = (table: Table) => idString().describe('imported unchanged').register(marks, { table, column: 'id' });

/** The id of a record that nothing else in the file refers to. */
export const ownId = (table: Table) =>
  optional(idString().describe('imported unchanged; generated if omitted').register(marks, { table, column: 'id' }));

export const reference = (table: Table, about: string) =>
  idString().describe(about).register(marks, { refersTo: table });
export const personId = (about: string) => reference('people', about);

/** WorkspacePart of a public link. Whoever knows it can read the document. */
export const publicToken = (about: string) =>
  z
    .string()
    .regex(/^[\w-]{1,200}$/, 'must be 1 to 200 letters, digits, - or _')
    .describe(about)
    .register(marks, { table: 'public_links', column: 'token' });

export const text = (about: string) => string().describe(about);
export const name = (about: string) => string().min(1).describe(about);
const emoji = (about: string) => string().min(1).max(50).describe(about);
export const flag = (about: string) => z.boolean().default(false).describe(about);
export const float = (about: string) => z.number().describe(about);
export const integer = (about: string, min: number, max = 2_147_483_647) => z.int().min(min).max(max).describe(about);
export const date = (about: string) => z.iso.date().refine(fourDigits, yearMessage).describe(about);

export const timestamp = (about: string) =>
  z.iso
    .datetime()
    .refine(fourDigits, yearMessage)
    .describe(about)
    .transform((value) => new Date(value).toISOString());

export const insertedAt = () => optional(timestamp('default: the time of the import'));
export const updatedAt = () => optional(timestamp('default: `inserted_at`'));

const fourDigits = (value: string) => value >= '1000';
const yearMessage = 'must be in the year 1000 or later';

/** May be null or omitted. */
export const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

/** What a list is that a record omits, which an update leaves as it is. */
export const omitted: never[] = [];

/** A list, empty if omitted, in which no two records have the same values of all `keys`. */
export const listOf = <Schema extends z.ZodObject>(schema: Schema, ...keys: (keyof z.output<Schema> & string)[]) =>
  z
    .array(schema)
    .superRefine((records, context) => {
      const seen = new Map<string, number>();
      for (const [index, record] of keys.length > 0 ? records.entries() : []) {
        const key = JSON.stringify(keys.map((field) => record[field]));
        const earlier = seen.get(key);
        if (earlier === undefined) seen.set(key, index);
        else
          context.addIssue({ code: 'custom', path: [index], message: `has the ${keys.join(' and ')} of [${earlier}]` });
      }
    })
    .default(() => omitted);

const level = () => z.literal([0, 10, 40, 70, 100]);

/** Access without a personal grant: of everyone, the company, and the members of the space. */
export const accessLevels = () =>
  z
    .strictObject({
      public: level().describe('a value above 0 marks it as public, but gives nobody access'),
      company: level().describe('everyone in the company except guests'),
      space: level().describe('members of the space'),
    })
    .default({ public: 0, company: 70, space: 100 })
    .describe(
      'who has access without a grant, each 0 none, 10 view, 40 comment, 70 edit or 100 full; default: 0, 70, 100',
    );

const grant = z.strictObject({
  id: ownId('access_grants'),
  person_id: personId('who has the access; at most once per list'),
  level: level().describe('0 none, 10 view, 40 comment, 70 edit, 100 full'),
});

export const access = () => listOf(grant, 'person_id').describe('personal access, in addition to the levels');

const reaction = z.strictObject({
  id: ownId('reactions'),
  person_id: personId('who reacted'),
  emoji: emoji('at most 50 characters; at most once per person'),
  inserted_at: insertedAt(),
});

export const reactions = () => listOf(reaction, 'person_id', 'emoji').describe('reactions to it');

const comment = z.strictObject({
  id: ownId('comments'),
  author_id: personId('who wrote it'),
  content: text('plain text or a ProseMirror document as a string'),
  reactions: reactions(),
  inserted_at: insertedAt(),
  updated_at: updatedAt(),
  deleted_at: optional(timestamp('when it was deleted; a deleted comment stays in the database but is not counted')),
});

export const comments = () => listOf(comment).describe('comments on it');

const subscription = z.strictObject({
  id: ownId('subscriptions'),
  person_id: personId('who is subscribed; at most once per list'),
  type: z.enum(SubscriptionType).describe('why they are subscribed'),
  canceled: flag('whether they unsubscribed; they are no longer notified'),
  inserted_at: insertedAt(),
});

const subscriptionListRecord = z.strictObject({
  id: ownId('subscription_lists'),
  send_to_everyone: flag('whether members of the space are notified too'),
  subscriptions: listOf(subscription, 'person_id').describe('its subscribers'),
});

export const subscriptionList = () => optional(subscriptionListRecord.describe('who is subscribed to it'));

const thread = z.strictObject({
  id: ownId('comment_threads'),
  message: optional(text('the message posted with the activity')),
  inserted_at: insertedAt(),
  comments: comments(),
  subscription_list: subscriptionList(),
});

const notification = z.strictObject({
  id: ownId('notifications'),
  person_id: personId('who was notified; at most once per activity'),
  read_at: optional(timestamp('when it was read; null: unread')),
  inserted_at: insertedAt(),
});

/** Something that happened to the record that lists it. */
export const activityFields = (subject: ActivitySubject) => ({
  id: ownId('activities'),
  action: z.enum(actionsOn(subject)).describe('what happened'),
  author_id: personId('who did it'),
  name: optional(name('the name that the record had then; default: the name it has now')),
  inserted_at: insertedAt(),
  undoes_id: optional(reference('activities', 'the activity that it undoes')),
  thread: optional(thread.describe('the comment thread about it')),
  notifications: listOf(notification, 'person_id').describe('notifications about it'),
});
