import { entry, inSeconds } from '../entry.js';
import { quoted } from '../quoted.js';

/** The request is valid, but conflicts with the current state. */
export const conflicts = {
  GOAL_ARCHIVED: entry<{ id: string }>({
    status: 409,
    title: 'The goal is archived',
    meaning: 'An archived goal cannot be reopened. Nothing was changed.',
    remedy: 'Restore the goal from the archive, then reopen it.',
    detail: ({ id }) => `The goal ${quoted(id)} is archived and cannot be reopened.`,
    example: { id: 'goal-launch-mobile-app' },
    occurs: 'declared',
  }),
  VERSION_CONFLICT: entry<{
    expectedCurrentVersion: number;
    currentVersion: number;
    currentVersionEditor: { id: string; fullName: string };
    currentVersionInsertedAt: string;
  }>({
    status: 409,
    title: 'The document has changed',
    meaning:
      'Someone changed the document in the meantime, so the version you expected is no longer current. Nothing was changed.',
    remedy: 'Read the document again, check that the restore still makes sense, and send the current version number.',
    detail: ({ expectedCurrentVersion, currentVersion }) =>
      `You expected version ${expectedCurrentVersion} to be current, but the current version is ${currentVersion}. ` +
      'Read the document again and send its current version.',
    example: {
      expectedCurrentVersion: 4,
      currentVersion: 5,
      currentVersionEditor: { id: 'person-ines-moreau', fullName: 'Inês Moreau' },
      currentVersionInsertedAt: '2026-03-09T16:20:00.000Z',
    },
    members: {
      expectedCurrentVersion: { type: 'integer', description: 'The version you expected to be current.' },
      currentVersion: { type: 'integer', description: 'The version that is current.' },
      currentVersionEditor: {
        type: 'object',
        description: 'The person who created the current version.',
        properties: {
          id: { type: 'string', description: 'Id of the person.' },
          fullName: { type: 'string', description: 'Name of the person.' },
        },
      },
      currentVersionInsertedAt: {
        type: 'string',
        format: 'date-time',
        description: 'When the current version was created.',
      },
    },
    occurs: 'declared',
  }),
  TOO_MANY_WEBHOOKS: entry<{ maximum: number }>({
    status: 409,
    title: 'The company has too many webhooks',
    meaning: 'A company can have a limited number of webhooks, disabled ones included. Nothing was changed.',
    remedy: 'Delete a webhook that is not needed any more, or give one more actions.',
    detail: ({ maximum }) => `A company can have at most ${maximum} webhooks. Delete one first.`,
    example: { maximum: 20 },
    occurs: 'graphql',
  }),
  IDEMPOTENCY_KEY_IN_USE: entry<{ retryAfter: number }>({
    status: 409,
    title: 'A request with this idempotency key is still running',
    meaning: 'The server has not finished the first request with this Idempotency-Key. This request changed nothing.',
    remedy: 'Send the same request again after the number of seconds in the Retry-After header.',
    detail: ({ retryAfter }) =>
      `A request with this Idempotency-Key is still running. Retry in ${inSeconds(retryAfter)} to get its outcome.`,
    headers: ({ retryAfter }) => ({ 'Retry-After': String(retryAfter) }),
    example: { retryAfter: 1 },
    members: { retryAfter: { type: 'integer', description: 'Seconds to wait before you retry.' } },
  }),
  IDEMPOTENCY_KEY_REUSED: entry({
    status: 422,
    title: 'The idempotency key was used with a different payload',
    meaning:
      'An earlier request sent this Idempotency-Key with a different payload, so this request is not a retry. ' +
      'Nothing was changed.',
    remedy: 'Use a new key for every new request, and reuse a key only to retry the same request.',
    detail: () => 'This Idempotency-Key was used with a different payload. Use a new key for a new request.',
    example: {},
  }),
};
