import type { GraphQLError } from 'graphql';
import { catalogue } from '../errors/catalogue.js';
import { isErrorCode } from '../platform/failures/index.js';

/** What a model is told about a failure. */
interface Advice {
  /** What is wrong, where the catalogue's words are about headers, paths or values that a model does not send. */
  detail?: string;
  /** What to do next, with the tools that there are. */
  remedy: string;
}

const previewAgain =
  'Nothing was changed. Call preview_change again, look at what would change now, and send what it returns.';

const askPerson = 'No tool can change that: tell the person whom you work for.';

/** The failures whose remedy elsewhere cannot be followed here. */
const advice: Partial<Record<string, Advice>> = {
  BAD_USER_INPUT: { remedy: 'Correct every field listed in errors, and call again.' },
  NOT_FOUND: {
    remedy:
      'Look up the id by name: with find_goals, find_people or find_files_and_documents, which finds deleted files with ' +
      'deleted: true.',
  },
  FORBIDDEN: { remedy: `Nothing was changed. ${askPerson}` },
  READ_ONLY_TOKEN: { remedy: `preview_change shows what would change. ${askPerson}` },
  INSUFFICIENT_SCOPE: { remedy: `preview_change shows what would change. ${askPerson}` },
  UNAUTHENTICATED: { detail: 'The token is not valid any more.', remedy: askPerson },
  GOAL_ARCHIVED: { remedy: `An archived goal must be restored from the archive first. ${askPerson}` },
  STATE_CHANGED: { detail: 'The record has changed since its preview.', remedy: previewAgain },
  VERSION_CONFLICT: { detail: 'The document has a new version since its preview.', remedy: previewAgain },
  IDEMPOTENCY_KEY_IN_USE: {
    detail: 'The same call is still running.',
    remedy: 'Wait as many seconds as retry_after says, then make the same call again: it returns the outcome.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    detail: 'The confirmation was used for another change.',
    remedy: previewAgain,
  },
  QUERY_TOO_COMPLEX: { remedy: 'Ask for less: a smaller first, or a page instead of the whole text.' },
  RATE_LIMITED: { remedy: 'Wait as many seconds as retry_after says, then make the same call again.' },
  SERVICE_UNAVAILABLE: {
    remedy:
      'Make the same call again in a few seconds. A change with its confirmation is made once, however often it is called.',
  },
  INTERNAL_SERVER_ERROR: {
    detail: 'Something went wrong on the server.',
    remedy:
      'Make the same call again later. If it fails again, tell the person whom you work for, with the request_id.',
  },
};

export function adviceOn({ message, extensions: { code } }: GraphQLError): Required<Advice> {
  const known = isErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR';
  const { detail = message, remedy = catalogue[known].remedy } = advice[known] ?? {};
  return { detail, remedy };
}
