export type { Entry, ErrorCode, FieldError, MemberSchema, NamedFields } from './failures.js';
export {
  /** BAD_USER_INPUT. */
  badInput,
  /** One way to fail, for a catalogue. */
  entry,
  /** An expected failure. */
  failure,
  /** The headers a failure comes with, such as `WWW-Authenticate` or `Allow`. */
  headersOf,
  /** A number of seconds as a reader says it. */
  inSeconds,
  /** Whether GraphQL responds with a problem too: the client accepts nothing that GraphQL could say it in. */
  isAlwaysProblem,
  /** Whether it is a code of the catalogue: everything else is an unexpected error. */
  isErrorCode,
  /** The most bad fields that the response to one request names. */
  mostNamed,
  /** NOT_FOUND of a record: what it is, and its id. */
  notFound,
  /** A failure as an RFC 9457 problem: `type`, `title`, `status`, `detail`, `code`, `requestId` and its members. */
  problemOf,
  /** The media type of a problem. */
  problemType,
  /** The same in quotation marks. */
  quoted,
  /** Makes the product's catalogue known: once, where it is defined, before anything can fail. */
  registerCatalogue,
  /** What a caller sent, for a message: its first characters, so that no response grows with what it quotes. */
  shortened,
  /** The HTTP status of a code; undefined if there is no such code. */
  statusOfCode,
  /** Makes an error without its stack, which nobody reads if the error is expected and which costs more than the rest. */
  withoutStack,
} from './failures.js';
