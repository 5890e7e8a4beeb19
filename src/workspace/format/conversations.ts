import { z } from 'zod';
import { SubscriptionType } from '../../database/generated/client/enums.js';
import { type ActivitySubject, actionsOn } from '../../rules/activityActions.js';
import {
  emoji,
  flag,
  insertedAt,
  listOf,
  name,
  optional,
  ownId,
  personId,
  text,
  timestamp,
  updatedAt,
} from './fields.js';

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
  thread: optional(thread.describe('the comment thread about it')),
  notifications: listOf(notification, 'person_id').describe('notifications about it'),
});
