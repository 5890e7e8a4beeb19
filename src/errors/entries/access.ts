import { entry, type MemberSchema } from '../entry.js';
import { quoted, shortened } from '../quoted.js';

const level = (description: string): MemberSchema => ({
  type: 'integer',
  description: `${description}: 0 none, 10 view, 40 comment, 70 edit, 100 full.`,
});

/** The caller may not do this, or cannot see the resource. */
export const accessErrors = {
  UNAUTHENTICATED: entry({
    status: 401,
    title: 'A valid API token is required',
    meaning:
      'The request has no API token, or the token is malformed, unknown, expired or revoked, or its owner is suspended. ' +
      'The response does not reveal which.',
    remedy: 'Send a valid token in the header Authorization: Bearer <API_TOKEN>.',
    detail: () => 'Send a valid API token in the header Authorization: Bearer <API_TOKEN>.',
    headers: () => ({ 'WWW-Authenticate': 'Bearer' }),
    example: {},
  }),
  READ_ONLY_TOKEN: entry({
    status: 403,
    title: 'The API token is read-only',
    meaning: 'The token can read but not change anything. The server rejects mutations before it reads their input.',
    remedy: 'Use a write-enabled token.',
    detail: () => 'This API token is read-only. Mutations require a write-enabled token.',
    example: {},
  }),
  FORBIDDEN: entry<{ requiredAccess: number; yourAccess: number }>({
    status: 403,
    title: 'Your access level is too low',
    meaning: 'You can see the resource, but your access level does not allow you to change it. Nothing was changed.',
    remedy: 'Ask someone with full access to the resource to raise your access level.',
    detail: ({ requiredAccess, yourAccess }) =>
      `This requires access level ${requiredAccess}. Your access level is ${yourAccess}.`,
    example: { requiredAccess: 70, yourAccess: 10 },
    members: { requiredAccess: level('The required access level'), yourAccess: level('Your access level') },
  }),
  OWNER_REQUIRED: entry({
    status: 403,
    title: 'Only owners of the company may do this',
    meaning: 'Webhooks belong to the company: only its owners can see and manage them. Nothing was changed.',
    remedy: 'Use the token of an owner of the company, or ask one.',
    detail: () => 'This requires the token of an owner of the company.',
    example: {},
    occurs: 'graphql',
  }),
  NOT_FOUND: entry<{ what: string; id: string } | { path: string; nearest: string | undefined }>({
    status: 404,
    title: 'Not found',
    meaning:
      'The path or the resource does not exist, or you cannot see it. The response does not reveal which. ' +
      'Deleted files are not found either.',
    remedy: 'Check the path, the id, and which person your token belongs to.',
    detail: (facts) =>
      'path' in facts
        ? `The path ${shortened(facts.path)} does not exist.${facts.nearest ? ` Did you mean ${facts.nearest}?` : ''}`
        : `No ${facts.what} ${quoted(facts.id)} exists, or you cannot see it.`,
    example: { what: 'goal', id: 'goal-launch-mobile-ap' },
  }),
};
