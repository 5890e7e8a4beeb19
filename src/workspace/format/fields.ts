import * as z from 'zod';
import { SubscriptionType } from '../../generated/client/enums.js';
import type { Column } from '../../platform/postgres/index.js';
import { type ActivitySubject, actionsOn } from '../../rules/activityActions.js';
import { quote } from '../report.js';
import { fieldsOf, type Table } from '../tables.js';

/** What a string stands for, for the documents: the id of another record, or this. */
type Mark = { refersTo: Table } | { type: 'id' | 'date' | 'timestamp' };

export const marks = z.registry<Mark>();

/** Any string that Postgres can hold. */
const string = () => z.string().regex(/^[^\0\p{Cs}]*$/u, 'must not contain NUL or half a surrogate pair');

/** The most characters of a content or another long text, of a name or another short one, and of a file's name. */
const most = { content: 4_000_000, name: 500, filename: 255 };

/** PostgreSQL counts characters, not the halves of surrogate pairs. */
function hasMore(value: string, maximum: number): boolean {
  if (value.length <= maximum || value.length > 2 * maximum) return value.length > maximum;
  let characters = 0;
  for (const _ of value) characters += 1;
  return characters > maximum;
}

/** Any string that Postgres can hold, with at most so many characters. */
const atMost = (maximum: number) =>
  string().refine((value) => !hasMore(value, maximum), `must have at most ${maximum} characters`);

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
export const id = () => idString().describe('imported unchanged').register(marks, { type: 'id' });

/** The id of a record that nothing else in the file refers to. */
export const ownId = () =>
  optional(idString().describe('imported unchanged; generated if omitted').register(marks, { type: 'id' }));

export const reference = (table: Table, about: string) =>
  idString().describe(about).register(marks, { refersTo: table });
export const personId = (about: string) => reference('people', about);

/** A content, or another text that may be long. */
export const text = (about: string) => atMost(most.content).describe(about);
export const shortText = (about: string) => atMost(most.name).describe(about);
const nameTo = (maximum: number) => (about: string) => atMost(maximum).min(1).describe(about);
export const name = nameTo(most.name);
export const filename = nameTo(most.filename);
export const flag = (about: string) => z.boolean().default(false).describe(about);
export const float = (about: string) => z.number().describe(about);
export const integer = (about: string, min: number, max = 2_147_483_647) => z.int().min(min).max(max).describe(about);

const day = /^(\d{4})-(\d\d)-(\d\d)$/;
/** RFC 3339, which lets a minute have a leap second. */
const moment = /^(.{10})T((?:[01]\d|2[0-3]):[0-5]\d:)([0-5]\d|60)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

const yearMessage = 'must be in the year 1000 or later';

function dayProblem(value: string): string | undefined {
  const [, year = '', month, of] = day.exec(value) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(of)));
  if (date.toISOString().slice(5, 10) !== `${month}-${of}`) return `there is no such day: ${value}`;
  return year < '1000' ? yearMessage : undefined;
}

function momentProblem(value: string): string | undefined {
  const [, date = ''] = moment.exec(value) ?? [];
  if (!day.test(date)) return `must be a time of RFC 3339 such as 2026-03-31T09:30:00Z, not ${quote(value)}`;
  const problem = dayProblem(date);
  if (problem !== undefined) return problem;
  const utc = inUtc(value);
  // JavaScript writes later years with a sign.
  if (utc.startsWith('+')) return 'must be before the year 10000';
  return utc < '1000' ? yearMessage : undefined;
}

/** The moment as it is stored. A leap second is the second after it. */
function inUtc(value: string): string {
  const [, date, minute, second, fraction = '', offset = ''] = moment.exec(value) ?? [];
  const isLeap = second === '60';
  const time = new Date(`${date}T${minute}${isLeap ? '59' : second}${fraction}${offset.toUpperCase()}`);
  return new Date(time.getTime() + (isLeap ? 1000 : 0)).toISOString();
}

const checkedBy = (problemOf: (value: string) => string | undefined) =>
  z.string().superRefine((value, { addIssue }) => {
    const message = problemOf(value);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });

export const date = (about: string) =>
  checkedBy((value) => (day.test(value) ? dayProblem(value) : `must be a date such as 2026-03-31, not ${quote(value)}`))
    .describe(about)
    .register(marks, { type: 'date' });

export const timestamp = (about: string) =>
  checkedBy(momentProblem).describe(about).register(marks, { type: 'timestamp' }).transform(inUtc);

export const insertedAt = () => optional(timestamp('default: the time of the import'));
/** When a record was made, and when it was last changed. */
export const times = () => ({
  inserted_at: insertedAt(),
  updated_at: optional(timestamp('default: `inserted_at`')),
});

/** May be null or omitted. */
export const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

/** A field of a column, for a record that says nothing else of it. */
function fieldOf(table: Table, { name: field, type, isNullable, values = [], about = field }: Column) {
  const schemas: Record<string, () => z.ZodType> = {
    String: () => text(about),
    Int: () => integer(about, -2_147_483_648),
    Float: () => float(about),
    Boolean: () => z.boolean().describe(about),
    DateTime: () => timestamp(about),
    Enum: () => z.enum(values).describe(about),
  };
  const schema = schemas[type]?.();
  if (!schema || !(isNullable || type === 'Boolean'))
    throw new Error(`${table}.${field}: say in src/workspace/format how a file has it`);
  return isNullable ? optional(schema) : flag(about);
}

/** The record of a row: with the fields that are named, and those of all other columns, which may be omitted. */
export function recordOf<Shape extends z.ZodRawShape>(table: Table, shape: Shape) {
  const others = fieldsOf(table).filter(({ name }) => !Object.hasOwn(shape, name));
  const derived = Object.fromEntries(others.map((field) => [field.name, fieldOf(table, field)]));
  return z.strictObject({ ...derived, ...shape }) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

/** What a list is that a record omits, which an update leaves as it is. */
export const omitted: never[] = [];

/** A list, empty if omitted, in which no two records have the same values of all `keys`. */
export const listOf = <Schema extends z.ZodType>(schema: Schema, ...keys: (keyof z.output<Schema> & string)[]) =>
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
export const accessLevels = (otherwise: string) =>
  optional(
    z
      .strictObject({
        public: level().describe('a value above 0 marks it as public, but gives nobody access'),
        company: level().describe('everyone in the company except guests'),
        space: level().describe('members of the space'),
      })
      .describe(
        `who has access without a grant, each 0 none, 10 view, 40 comment, 70 edit or 100 full; default: ${otherwise}`,
      ),
  );

const grant = recordOf('access_grants', {
  id: ownId(),
  person_id: personId('who has the access; at most once per list'),
  level: level().describe('0 none, 10 view, 40 comment, 70 edit, 100 full'),
});

export const access = () => listOf(grant, 'person_id').describe('personal access, in addition to the levels');

const reaction = recordOf('reactions', {
  id: ownId(),
  person_id: personId('who reacted'),
  emoji: string().min(1).max(50).describe('at most 50 characters; at most once per person'),
  inserted_at: insertedAt(),
});

export const reactions = () => listOf(reaction, 'person_id', 'emoji').describe('reactions to it');

const comment = recordOf('comments', {
  id: ownId(),
  author_id: personId('who wrote it'),
  content: text('plain text or a ProseMirror document as a string'),
  reactions: reactions(),
  ...times(),
  deleted_at: optional(timestamp('when it was deleted; a deleted comment stays in the database but is not counted')),
});

export const comments = () => listOf(comment).describe('comments on it');

const subscription = recordOf('subscriptions', {
  id: ownId(),
  person_id: personId('who is subscribed; at most once per list'),
  type: z.enum(SubscriptionType).describe('why they are subscribed'),
  canceled: flag('whether they unsubscribed; they are no longer notified'),
  inserted_at: insertedAt(),
});

const subscriptionListRecord = recordOf('subscription_lists', {
  id: ownId(),
  send_to_everyone: flag('whether members of the space are notified too'),
  subscriptions: listOf(subscription, 'person_id').describe('its subscribers'),
});

export const subscriptionList = () => optional(subscriptionListRecord.describe('who is subscribed to it'));

const thread = recordOf('comment_threads', {
  id: ownId(),
  message: optional(text('the message posted with the activity')),
  inserted_at: insertedAt(),
  comments: comments(),
  subscription_list: subscriptionList(),
});

const notification = recordOf('notifications', {
  id: ownId(),
  person_id: personId('who was notified; at most once per activity'),
  read_at: optional(timestamp('when it was read; null: unread')),
  inserted_at: insertedAt(),
});

/** Something that happened to the record that lists it. */
export const activityFields = (subject: ActivitySubject) => ({
  id: ownId(),
  action: z.enum(actionsOn(subject)).describe('what happened'),
  author_id: personId('who did it'),
  name: optional(name('the name that the record had then; default: the name it has now')),
  inserted_at: insertedAt(),
  undoes_id: optional(reference('activities', 'the activity that it undoes')),
  thread: optional(thread.describe('the comment thread about it')),
  notifications: listOf(notification, 'person_id').describe('notifications about it'),
});
