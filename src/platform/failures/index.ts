export type { Entry, MemberSchema } from './entry.js';
/** A number of seconds as a reader says it. */
/** The same in quotation marks. */
/** What a caller sent, for a message: its first characters, so that no response grows with what it quotes. */
export { entry, inSeconds, quoted, shortened } from './entry.js';
export type { FieldError, NamedFields } from './failures.js';
/**
 * BAD_USER_INPUT. Names the bad fields up to `mostNamed`, and says in a last entry that there are more. Several failures
 * of one request, which its context stands for, share that number, but each names at least one field.
 */
/** The failure that the documents show for a code. */
/** An expected failure. The catalogue words it from its facts, and the response has those that it declares as members. */
/** The same as GraphQL sends it. */
/** The headers a failure comes with, such as `WWW-Authenticate` or `Allow`. */
/** The failure with its fields as REST spells them: `input.subscriberIds[2]` -> `subscriber_ids[2]`. */
/** Whether GraphQL responds with a problem too: the client accepts nothing that GraphQL could say it in. */
/** The most bad fields that the response to one request names. Whoever looks for them may stop once there are more. */
/** What a request gets for which there is no slot, or no memory for its body. */
/**
 * A failure as an RFC 9457 problem: `type`, `title`, `status`, `detail`, `code`, `requestId` and its members. `type` is
 * the page of the code, absolute when the public address of the server is known. An unknown code is internal.
 */
/** What is sent in place of a response with more characters than that. */
/** What a request gets for which there is no slot because of its caller's other requests. */
/** Makes an error without its stack, which nobody reads if the error is expected and which costs more than the rest. */
export {
  badInput,
  exampleOf,
  failure,
  graphqlExampleOf,
  headersOf,
  inRestNames,
  isAlwaysProblem,
  mostNamed,
  notFound,
  overloaded,
  problemOf,
  problemType,
  tooLong,
  tooManyOfOne,
  withoutStack,
} from './failures.js';
