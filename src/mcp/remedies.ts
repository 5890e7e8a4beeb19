import type { GraphQLError, GraphQLErrorExtensions } from 'graphql';
import { catalogue } from '../errors/catalogue.js';
import { type FieldError, isErrorCode } from '../platform/failures/index.js';
import { snakeCase } from '../platform/http/index.js';

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

const readInstead =
  'Do not make it again: look at the record. recent_changes lists the change, by its activity_id if that is known.';

const later =
  'Make the same call again later. If it fails again, tell the person whom you work for, with the request_id.';

/** The failures whose remedy elsewhere cannot be followed here. */
const advice: Partial<Record<string, Advice>> = {
  BAD_USER_INPUT: { remedy: 'Correct every field listed in errors, and call again.' },
  NOT_FOUND: {
    remedy:
      'Look up the id by name: with find_goals, find_people or find_files_and_documents, which finds deleted files with ' +
      'deleted: true.',
  },
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
  INTERNAL_SERVER_ERROR: { detail: 'Something went wrong on the server.', remedy: later },
};

/** The way back from a change that cannot be taken back, by what is in the way. */
function wayBack({ laterChange, instead }: GraphQLErrorExtensions): string {
  if (laterChange) return `Take back the later change ${laterChange} first, or make another change.`;
  return instead
    ? `${snakeCase(String(instead))} is the way back from such a change: preview it.`
    : `There is no way back with a tool. ${askPerson}`;
}

const levels: Record<number, string> = { 0: 'no access', 10: 'view', 40: 'comment', 70: 'edit', 100: 'full access' };

/** What is wrong, and what to do; `problem` has it as REST spells it. */
export function adviceOn(
  { extensions }: GraphQLError,
  { detail: said, errors = [] }: { detail: string; errors?: FieldError[] },
): Required<Advice> {
  const { code, requiredAccess, yourAccess, accessOf, changed } = extensions;
  if (typeof code === 'string' && !isErrorCode(code)) return { detail: said, remedy: askPerson };
  if (changed === true) return { detail: 'The change was made, but the response to it failed.', remedy: readInstead };
  if (changed === false)
    return { detail: 'Something went wrong on the server, and nothing was changed.', remedy: later };
  const known = isErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR';
  const { detail = said, remedy = catalogue[known].remedy } = advice[known] ?? {};
  if (known === 'CANNOT_BE_UNDONE') return { detail, remedy: `Nothing was changed. ${wayBack(extensions)}` };
  if (known === 'FORBIDDEN') {
    const access = `The person of the token has ${levels[Number(yourAccess)]}; ${levels[Number(requiredAccess)]} is needed.`;
    const others = accessOf === 'space' ? '' : ', its champion and its reviewer';
    const who = `Whoever has full access to the ${accessOf} can give it: the owners of the company${others}.`;
    return { detail: access, remedy: `Nothing was changed. ${who} ${askPerson}` };
  }
  if (known === 'NOT_FOUND' && said.startsWith('No version '))
    return { detail, remedy: 'read_document lists the versions.' };
  if (known === 'NOT_FOUND' && said.startsWith('No activity '))
    return { detail, remedy: 'recent_changes lists the activities with their IDs.' };
  const isPerson = errors.some(({ field }) => field.includes('subscriber_ids'));
  return { detail, remedy: isPerson ? `${remedy} find_people finds the IDs of people.` : remedy };
}
