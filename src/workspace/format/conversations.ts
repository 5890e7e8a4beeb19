import { z } from 'zod';
import { SubscriptionType } from '../../database/generated/client/enums.js';
import { type ActivitySubject, actionsOn } from '../../rules/activityActions.js';
import { emoji, flag, insertedAt, list, optional, ownId, personId, text, timestamp, updatedAt } from './fields.js';

const reaction = z.strictObject({
  id: ownId('reactions'),
  person_id: personId('who reacted'),
  emoji: emoji('at most 50 characters; once for each person'),
  inserted_at: insertedAt(),
});

export const reactions = () => list(reaction, 'person_id', 'emoji').describe('who reacted, and how');

const comment = z.strictObject({
  id: ownId('comments'),
  author_id: personId('who wrote it'),
  content: text('plain text or a ProseMirror document as a string'),
  reactions: reactions(),
  inserted_at: insertedAt(),
  updated_at: updatedAt(),
  deleted_at: optional(timestamp('when it was taken back; it is kept, and not counted')),
});

export const comments = () => list(comment).describe('what people said about it');

const subscription = z.strictObject({
  id: ownId('subscriptions'),
  person_id: personId('who follows; once in a list'),
  type: z.enum(SubscriptionType).describe('how they came to follow'),
  canceled: flag('true: never notified again'),
  inserted_at: insertedAt(),
});

const subscriptionListRecord = z.strictObject({
  id: ownId('subscription_lists'),
  send_to_everyone: flag('whether everyone of the space is told too'),
  subscriptions: list(subscription, 'person_id').describe('who follows'),
});

export const subscriptionList = () => optional(subscriptionListRecord.describe('who follows it'));

const thread = z.strictObject({
  id: ownId('comment_threads'),
  message: optional(text('what was said when it happened')),
  inserted_at: insertedAt(),
  comments: comments(),
  subscription_list: subscriptionList(),
});

const notification = z.strictObject({
  id: ownId('notifications'),
  person_id: personId('who was told; once for an activity'),
  read_at: optional(timestamp('null: unread')),
  inserted_at: insertedAt(),
});

/** Something that happened to the record it is listed in. */
export const activityFields = (subject: ActivitySubject) => ({
  id: ownId('activities'),
  action: z.enum(actionsOn(subject)).describe('what happened'),
  author_id: personId('who did it'),
  inserted_at: insertedAt(),
  thread: optional(thread.describe('the conversation about it')),
  notifications: list(notification, 'person_id').describe('who was told about it'),
});
